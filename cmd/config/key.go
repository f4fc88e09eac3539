package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Bounds of fetching a key.
const (
	keyBytes       = 64 << 10    // read from a file or a command
	keyCommandTime = time.Minute // enough to type a passphrase
	keyCommandWait = time.Second // for what a killed command leaves behind
)

// Key gives the API key, from wherever it was configured to come: the value,
// the file, the variable or the command, which has one minute. It is not set if nothing was
// configured. Its errors are of type *Error and never contain the key.
func (l LLM) Key(ctx context.Context) (Secret, error) {
	var (
		text string
		key  string
		err  error
	)
	switch {
	case l.APIKeyFile != "":
		key = l.section() + ".api_key_file"
		text, err = readKeyFile(l.APIKeyFile)
	case l.APIKeyCommand != "":
		key = l.section() + ".api_key_command"
		text, err = runKeyCommand(ctx, l.APIKeyCommand)
	case l.APIKeyEnv != "":
		key = l.section() + ".api_key_env"
		text = os.Getenv(l.APIKeyEnv)
	default:
		return l.APIKey, nil
	}
	if err != nil {
		return Secret{}, &Error{Key: key, Reason: err.Error()}
	}
	secret, err := parseKey(text)
	switch {
	case err != nil:
		return Secret{}, &Error{Key: key, Reason: err.Error()}
	case !secret.IsSet():
		return Secret{}, &Error{Key: key, Reason: "it gave no key: what it gave is empty"}
	}
	return secret, nil
}

// section is the name of the section that the settings are from.
func (l LLM) section() string {
	if l.Profile == "" {
		return SectionLLM
	}
	return SectionLLM + "." + l.Profile
}

// parseKey accepts what can stand in an HTTP header.
func parseKey(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Secret{}, errors.New("the key contains a space, a line break or a special character")
	}
	return NewSecret(text), nil
}

func readKeyFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, keyBytes))
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return string(raw), nil
}

func runKeyCommand(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, keyCommandTime)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stderr = &stderr
	cmd.WaitDelay = keyCommandWait
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command was stopped: %w", ctx.Err())
	case err != nil:
		return "", fmt.Errorf("the command failed: %w%s", err, lastLine(stderr.String()))
	case len(out) > keyBytes:
		return "", fmt.Errorf("the command printed more than %d bytes", keyBytes)
	}
	return string(out), nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndexByte(text, '\n')+1:]
}
