package guest

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"unicode/utf8"

	"drydock/sandbox/wire"
)

// failure is an error with a code for the host.
type failure struct {
	code    string
	message string
}

func (f *failure) Error() string { return f.message }

// codes maps what the kernel says to what the protocol says.
var codes = []struct {
	err  error
	code string
}{
	{syscall.ENOENT, wire.CodeNotFound},
	{syscall.EISDIR, wire.CodeIsDir},
	{syscall.ENOTDIR, wire.CodeNotDir},
	{syscall.EACCES, wire.CodePermission},
	{syscall.EPERM, wire.CodePermission},
	{syscall.ELOOP, wire.CodeLoop},
	{syscall.ENAMETOOLONG, wire.CodeNameLong},
	{syscall.ENOSPC, wire.CodeNoSpace},
	{syscall.EDQUOT, wire.CodeNoSpace},
	{syscall.EFBIG, wire.CodeTooLarge},
	{syscall.EROFS, wire.CodeReadOnly},
	{syscall.ETXTBSY, wire.CodeBusy},
	{syscall.ENXIO, wire.CodeNotRegular}, // a socket, or a device without a driver
	{syscall.ENODEV, wire.CodeNotRegular},
	{syscall.EEXIST, wire.CodeExists},
	{fs.ErrNotExist, wire.CodeNotFound},
	{fs.ErrExist, wire.CodeExists},
	{fs.ErrPermission, wire.CodePermission},
}

// describe turns any error into a failure.
func describe(err error) wire.Failure {
	var f *failure
	if errors.As(err, &f) {
		return wire.Failure{Code: f.code, Message: tell(f.message, wire.MaxMessage)}
	}
	message := tell(err.Error(), wire.MaxMessage)
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return wire.Failure{Code: c.code, Message: message}
		}
	}
	return wire.Failure{Code: wire.CodeInternal, Message: message}
}

// tell cuts text to what the host takes of it, counted as it arrives there: JSON
// makes three bytes of each that is no UTF-8.
func tell(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
