package attach

// Detach finds the keys with which a person leaves, in what they type: ~. at the
// beginning of a line; ~~ there stands for one ~. The zero value stands for the
// first line.
type Detach struct {
	inLine bool // something was typed on this line
	tilde  bool // a ~ at its beginning is held back
}

// Pass gives what is to be sent on, and says whether the person leaves.
func (d *Detach) Pass(typed []byte) (send []byte, leave bool) {
	for _, b := range typed {
		switch {
		case d.tilde && b == '.':
			return send, true
		case d.tilde:
			d.tilde = false
			send = append(send, '~')
			if b == '~' {
				d.inLine = true
				continue
			}
		case b == '~' && !d.inLine:
			d.tilde = true
			continue
		}
		send = append(send, b)
		d.inLine = b != '\r' && b != '\n'
	}
	return send, false
}
