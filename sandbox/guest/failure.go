package guest

import (
	"errors"
	"io/fs"
	"syscall"

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
	{syscall.EEXIST, wire.CodeExists},
	{fs.ErrNotExist, wire.CodeNotFound},
	{fs.ErrExist, wire.CodeExists},
	{fs.ErrPermission, wire.CodePermission},
}

// describe turns any error into a failure.
func describe(err error) wire.Failure {
	var f *failure
	if errors.As(err, &f) {
		return wire.Failure{Code: f.code, Message: f.message}
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return wire.Failure{Code: c.code, Message: err.Error()}
		}
	}
	return wire.Failure{Code: wire.CodeInternal, Message: err.Error()}
}
