package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"drydock/sandbox/wire"
)

// output keeps the head and the tail of what a call prints, counts the rest,
// and writes the whole, up to a bound, to a file that the model can read.
type output struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring once full
	next  int    // where the ring continues
	total int64

	maxHead, maxTail int
	limit            int64 // onLimit is called once beyond this
	onLimit          func()

	logs *logDir
	log  *os.File
	left int64 // bytes the log may still take

	sealed bool   // the result has been made; what comes now is late
	file   string // that takes what is late
	shown  int64  // bytes there were by then
	told   int64  // bytes that have been reported since
	done   bool   // nothing more can come
}

func (g *Guest) newOutput(onLimit func()) *output {
	return &output{
		maxHead: g.setup.Head, maxTail: g.setup.Tail,
		limit: g.setup.MaxOutput, onLimit: onLimit,
		logs: g.logs, left: g.setup.MaxLog,
	}
}

// add takes the next bytes. It never fails: what cannot be logged is dropped.
func (o *output) add(p []byte) {
	o.mu.Lock()
	before := o.total
	o.total += int64(len(p))
	over := before <= o.limit && o.total > o.limit
	o.keep(p)
	o.mu.Unlock()
	if over && o.onLimit != nil {
		o.onLimit()
	}
}

func (o *output) keep(p []byte) {
	if room := o.maxHead - len(o.head); room > 0 && !o.sealed {
		n := min(room, len(p))
		o.head = append(o.head, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	o.writeLog(p)
	if len(p) >= o.maxTail {
		o.tail, o.next = append(o.tail[:0], p[len(p)-o.maxTail:]...), 0
		return
	}
	if room := o.maxTail - len(o.tail); room > 0 {
		n := min(room, len(p))
		o.tail = append(o.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(o.tail[o.next:], p)
		o.next = (o.next + n) % o.maxTail
		p = p[n:]
	}
}

// writeLog opens the log at the first byte that does not fit the head, so a
// short output costs no file.
func (o *output) writeLog(p []byte) {
	if o.left <= 0 || o.logs == nil {
		return
	}
	if !o.openLog() {
		return
	}
	n := min(int64(len(p)), o.left)
	if n <= 0 {
		return
	}
	if _, err := o.log.Write(p[:n]); err != nil {
		o.left = 0 // a full disk; head and tail still hold
		return
	}
	o.left -= n
}

// openLog makes the log and begins it with the head.
func (o *output) openLog() bool {
	if o.log != nil {
		return true
	}
	f, err := o.logs.create()
	if err != nil {
		o.left = 0
		return false
	}
	o.log = f
	o.left -= int64(len(o.head))
	_, _ = f.Write(o.head)
	return true
}

// seal ends what the result shows. From now on everything goes to the log,
// whose name is returned, "" when there can be none.
func (o *output) seal() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left <= 0 || o.logs == nil || !o.openLog() {
		return ""
	}
	o.sealed, o.file, o.shown, o.told = true, o.log.Name(), o.total, o.total
	return o.file
}

// sinceSealed says how many bytes came since it was asked last, and whether
// these were the last ones.
func (o *output) sinceSealed() (file string, bytes int64, done bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	bytes = o.total - o.told
	o.told = o.total
	return o.file, bytes, o.done
}

// ended says whether nothing more can come.
func (o *output) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done
}

// report puts what was kept into a result. Later bytes no longer change it.
func (o *output) report(r *wire.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r.Total = o.total
	r.Head = append([]byte(nil), o.head...)
	tail := append(append([]byte(nil), o.tail[o.next:]...), o.tail[:o.next]...)
	r.Dropped = o.total - int64(len(o.head)) - int64(len(tail))
	if r.Dropped == 0 {
		r.Head = append(r.Head, tail...)
		return
	}
	r.Tail = tail
	if o.log != nil {
		r.Log = o.log.Name()
	}
}

// close ends logging. A log that repeats what the result shows is removed.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	if o.log == nil {
		return
	}
	name := o.log.Name()
	_ = o.log.Close()
	if o.total <= int64(len(o.head)+len(o.tail)) && (!o.sealed || o.total == o.shown) {
		o.logs.remove(name)
	}
	o.log, o.left = nil, 0
}

// logDir holds the newest full outputs.
type logDir struct {
	dir string

	mu    sync.Mutex
	count int
	names []string
}

// maxLogs bounds how many full outputs are kept at a time.
const maxLogs = 24

func (d *logDir) create() (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	name := filepath.Join(d.dir, fmt.Sprintf("output-%d.txt", d.count))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create output file: %w", err)
	}
	d.names = append(d.names, name)
	if len(d.names) > maxLogs {
		_ = os.Remove(d.names[0])
		d.names = d.names[1:]
	}
	return f, nil
}

func (d *logDir) remove(name string) {
	_ = os.Remove(name)
}
