package attach_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/cmd/attach"
)

// through is what a terminal gets of an output that arrives in two parts.
func through(output string, cut int) string {
	var out bytes.Buffer
	f := attach.NewFilter(&out)
	_, _ = f.Write([]byte(output[:cut]))
	_, _ = f.Write([]byte(output[cut:]))
	return out.String()
}

func TestFilterPassesWhatDraws(t *testing.T) {
	for _, seq := range []string{
		"text\r\n\ttab\b\a", "größe 日本 👩‍💻", "\x1b[1;38;5;200mred\x1b[0m", "\x1b[38:2::1:2:3mx", "\x1b[2J\x1b[H\x1b[10;20H", "\x1b[?1049h\x1b[?25l\x1b[?1006h",
		"\x1b(0lqk\x1b(B", "\x1b7\x1b8\x1bM\x1b=", "\x1b[3 q", "\x1b[1;20r\x1b[S\x1b[2T", "\x1b[4h\x1b[4l", "\x1b[!p", "\x1b[?2004h", "\x1b[5b",
	} {
		for cut := range len(seq) + 1 {
			assert.Equal(t, through(seq, cut), seq, "cut at %d", cut)
		}
	}
}

func TestFilterDropsWhatActs(t *testing.T) {
	for _, seq := range []string{
		"\x1b]52;c;aGk=\x07", "\x1b]52;c;?\x1b\\", "\x1b]0;title\x07", "\x1b]2;t\x1b\\", "\x1b]8;;http://x\x1b\\", "\x1b]11;?\x07", "\x1b]4;1;?\x07", "\x1b]1337;File=:x\x07", "\x1b]777;notify;x\x07",
		"\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\", "\x1b_Gx\x1b\\", "\x1b^x\x1b\\", "\x1bXx\x1b\\", "\x1bktitle\x1b\\", "\x1b[6n", "\x1b[5n", "\x1b[?6n", "\x1b[c", "\x1b[>c", "\x1b[=c", "\x1bZ", "\x1b[x",
		"\x1b[21t", "\x1b[8;9999;9999t", "\x1b[?1$p", "\x1b[>q", "\x1b[?u", "\x1b[>1u", "\x1b[5i", "\x1b[?5i", "\x1b[2h", "\x1b[12l", "\x05", "\x00", "\x7f", "\x1b%@", "\x1b F", "\x1b[999999999b",
		"\u009b6n", "\u009d0;x\u009c", "\x9b6n", "\x90", "\x1b[" + strings.Repeat("1;", 400) + "m", "\x1b[1\"q", "\x1b[?1s", "\x1b]0;a\x1b]0;b\x07",
	} {
		for cut := range len(seq) + 1 {
			got := strings.Trim(through("<"+seq+">", cut), "<>")
			for _, bad := range []string{"\x1b", "\u009b", "\u009d", "\x05", "\x00", "\x7f", "title", "\x9b", "\x90"} {
				assert.Assert(t, !strings.Contains(got, bad), "%q gives %q, cut at %d", seq, got, cut)
			}
			assert.Assert(t, strings.HasSuffix(through("<"+seq+"\x18>", cut), ">"), "%q swallows what follows", seq)
		}
	}
}

// Whatever comes, no string begins and no question is asked on the terminal.
func TestFilterOnAnyBytes(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	parts := []string{"\x1b", "[", "]", "P", "\\", "\x07", "6", "n", "c", "?", "52;", "\x18", "m", "x", "\xc2", "\x9b", "\x9d", "é", "\r", "$", "q", " "}
	for range 3000 {
		var all strings.Builder
		for range 1 + rng.Intn(30) {
			all.WriteString(parts[rng.Intn(len(parts))])
		}
		got := through(all.String(), rng.Intn(all.Len()+1))
		for _, bad := range []string{"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b[6n", "\x1b[c", "\u009b", "\u009d"} {
			assert.Assert(t, !strings.Contains(got, bad), "%q gives %q", all.String(), got)
		}
		// What has been filtered is not changed by filtering it again.
		assert.Equal(t, through(got, 0), got, "%q", all.String())
	}
}

func TestRestoreTakesBackWhatWasSet(t *testing.T) {
	var out bytes.Buffer
	f := attach.NewFilter(&out)
	_, _ = f.Write([]byte("\x1b[?1049h\x1b[?1000h\x1b[?1000l\x1b[?2004h\x1b[3;9r"))
	restore := f.Restore()
	for _, want := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[r", "\x1b[?25h", "\x1b[0m"} {
		assert.Assert(t, strings.Contains(restore, want), "%q", restore)
	}
	assert.Assert(t, !strings.Contains(restore, "?1000"))
}

func TestDetachKeys(t *testing.T) {
	for typed, want := range map[string]struct {
		send  string
		leave bool
	}{
		"~.": {"", true}, "ls\r~.": {"ls\r", true}, "ls ~.\r": {"ls ~.\r", false}, "~~.\r": {"~.\r", false}, "~x\r~.": {"~x\r", true},
		"a\r~\r~.": {"a\r~\r", true}, "cd ~/x\r": {"cd ~/x\r", false}, "~/run\r": {"~/run\r", false},
	} {
		var d attach.Detach
		var sent []byte
		left := false
		for i := 0; i < len(typed) && !left; i++ { // as keys come
			var send []byte
			send, left = d.Pass([]byte{typed[i]})
			sent = append(sent, send...)
		}
		assert.Equal(t, string(sent), want.send, "%q", typed)
		assert.Equal(t, left, want.leave, "%q", typed)
	}
}
