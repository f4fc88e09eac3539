package workspace

import (
	"bytes"
	"regexp"
	"strings"
)

// maxConfigLen bounds a git configuration file that is read, in bytes.
const maxConfigLen = 1 << 20

// sanitizeConfig takes out of a git configuration what must not get into a
// sandbox: passwords in URLs, headers and sections that carry credentials, and
// keys that make git run programs of the host. It keeps everything else byte by
// byte. ok is false for a file git could not read either.
func sanitizeConfig(data []byte) (clean []byte, ok bool) {
	p := configParser{data: data}
	var out bytes.Buffer
	for p.pos < len(data) {
		blank := p.blank()
		item, isOK := p.item()
		if !isOK {
			return nil, false
		}
		text, keep := redactConfig(item, p.section)
		switch {
		case keep:
			out.Write(blank)
			out.WriteString(text)
		case out.Len() > 0 && !bytes.HasSuffix(out.Bytes(), []byte{'\n'}):
			out.WriteByte('\n') // it stood behind a section header
		}
	}
	return out.Bytes(), true
}

// redactConfig gives an item without passwords, or tells to leave it out.
func redactConfig(item configItem, section string) (text string, keep bool) {
	if secretSection(section) || secretKey(item.key) || secretKey(commentedKey(item.text)) {
		return "", false
	}
	text = redactURLs(item.text)
	// Quotes can break up an address so that it is not seen in the raw text.
	p := configParser{data: []byte(text)}
	after, _ := p.item()
	return text, redactURLs(after.value) == after.value
}

// commentedKey gives the name of a variable that is commented out.
func commentedKey(text string) string {
	inner := strings.TrimLeft(text, "#; \t")
	if inner == text {
		return ""
	}
	p := configParser{data: []byte(inner)}
	item, _ := p.item()
	return item.key
}

func secretSection(section string) bool { return section == "credential" }

// secretKey says whether a variable, of whatever section, holds a credential or
// names a program or a directory of programs.
func secretKey(key string) bool {
	switch key {
	case "extraheader", "fsmonitor", "hookspath", "sshcommand", "askpass",
		"password", "pass", "smtppass", "token", "oauthtoken":
		return true
	default:
		return false
	}
}

// urlLogin is the beginning of an address up to the "@" behind the login.
var urlLogin = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*)://([^/\s"]*)@`)

// redactURLs cuts user names and passwords out of the addresses in s. The user
// name of an ssh address stays, as it is no secret and needed.
func redactURLs(s string) string {
	return urlLogin.ReplaceAllStringFunc(s, func(m string) string {
		parts := urlLogin.FindStringSubmatch(m)
		scheme, user := parts[1], parts[2]
		if !strings.Contains(strings.ToLower(scheme), "ssh") {
			return scheme + "://"
		}
		user, _, _ = strings.Cut(user, ":")
		return scheme + "://" + user + "@"
	})
}

// usesSHA256 says whether a repository with this configuration names its objects
// by SHA-256.
func usesSHA256(config []byte) bool {
	p := configParser{data: config}
	for p.pos < len(config) {
		p.blank()
		item, ok := p.item()
		if !ok {
			return false
		}
		if p.section == "extensions" && item.key == "objectformat" {
			return strings.EqualFold(item.value, "sha256")
		}
	}
	return false
}
