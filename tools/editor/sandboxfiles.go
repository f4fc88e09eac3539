package editor

import (
	"context"
	"errors"
	"fmt"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// InSandbox gives an Editor the files of a sandbox.
func InSandbox(s *sandbox.Sandbox) Files { return sandboxFiles{s} }

type sandboxFiles struct{ s *sandbox.Sandbox }

// reasons maps the protocol's codes to what the editor explains.
var reasons = map[string]error{
	wire.CodeNotFound:   ErrNotFound,
	wire.CodeIsDir:      ErrIsDirectory,
	wire.CodeNotDir:     ErrNotDirectory,
	wire.CodeNotRegular: ErrNotRegular,
	wire.CodePermission: ErrPermission,
	wire.CodeReadOnly:   ErrReadOnly,
	wire.CodeLoop:       ErrLoop,
	wire.CodeNameLong:   ErrNameTooLong,
	wire.CodeNoSpace:    ErrNoSpace,
	wire.CodeTooLarge:   ErrTooLarge,
	wire.CodeChanged:    ErrChanged,
	wire.CodeExists:     ErrChanged,
	wire.CodeBusy:       ErrPermission,
}

// translate wraps the editor's own reason into a refusal of the guest. What the
// guest has not answered is the sandbox's failure.
func translate(err error) error {
	var call *sandbox.CallError
	if !errors.As(err, &call) {
		return err
	}
	if reason, ok := reasons[call.Code]; ok {
		return fmt.Errorf("%s: %w", call.Message, reason)
	}
	return fmt.Errorf("%s: %w", call.Message, ErrRefused)
}

func (f sandboxFiles) Read(ctx context.Context, path string, limit int64) (File, error) {
	data, info, err := f.s.ReadFile(ctx, path, limit)
	var call *sandbox.CallError
	if errors.As(err, &call) && call.Code == wire.CodeIsDir {
		return File{Path: path, IsDir: true}, nil
	}
	if err != nil {
		return File{}, translate(err)
	}
	file := describe(info)
	file.Data = data
	return file, nil
}

func (f sandboxFiles) Write(ctx context.Context, path string, data []byte, opts WriteOptions) (File, error) {
	info, err := f.s.WriteFile(ctx, path, data, wire.WriteOptions{Expect: sumBytes(opts.Expect), New: opts.New, Mode: opts.Mode})
	return describe(info), translate(err)
}

func (f sandboxFiles) Remove(ctx context.Context, path string, expect *Sum) error {
	return translate(f.s.RemoveFile(ctx, path, wire.WriteOptions{Expect: sumBytes(expect)}))
}

func (f sandboxFiles) List(ctx context.Context, path string, depth, limit int) (Listing, error) {
	list, err := f.s.List(ctx, path, depth, limit)
	if err != nil {
		return Listing{}, translate(err)
	}
	out := Listing{Truncated: list.Truncated}
	for _, e := range list.Entries {
		out.Entries = append(out.Entries, Entry{Path: string(e.Path), IsDir: e.IsDir, IsLink: e.IsLink, Size: e.Size})
	}
	return out, nil
}

func describe(info wire.FileInfo) File {
	return File{Path: string(info.Path), Mode: info.Mode, Size: info.Size, Truncated: info.Truncated, IsDir: info.IsDir}
}

func sumBytes(sum *Sum) []byte {
	if sum == nil {
		return nil
	}
	return sum[:]
}
