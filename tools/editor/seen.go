package editor

import "context"

// maxSeen bounds the content kept of the file that was looked at last, in bytes.
const maxSeen = 1 << 20

// seen is the file that was read or written last, as asked for.
type seen struct {
	path string
	data []byte
}

// see keeps what a file holds. A model edits what it has just looked at, so the
// edit can often be planned without reading the file again.
func (e *Editor) see(path string, data []byte) {
	if len(data) > maxSeen {
		e.last.Store(nil)
		return
	}
	e.last.Store(&seen{path: path, data: data})
}

// editSeen edits a file by what it is known to hold. That saves a way to the
// sandbox and back; the write checks that it still holds that. ok is false when
// the file has to be read after all: because it is another one, it has changed,
// or the plan does not fit what was known.
func (e *Editor) editSeen(ctx context.Context, command, path string, plan planner) (answer Answer, ok bool) {
	last := e.last.Load()
	if last == nil || last.path != path {
		return Answer{}, false
	}
	s, refusal := plan(last.data)
	if refusal != nil {
		return Answer{}, false
	}
	answer, err := e.splice(ctx, command, path, File{Path: path, Data: last.data}, s)
	return answer, err == nil
}
