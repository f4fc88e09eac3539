package fakellm

// These shape an answer that is streamed. They do nothing where the request asks
// for a whole answer, except Stream, which streams also then.

// Stream answers with a stream that is sent as it is, each text by itself and at
// once: for example "data: {…}\n\n", or a part of it.
func Stream(texts ...string) Turn { return Turn{streaming: streaming{events: texts}} }

// Events is Stream with the data of each event, and [DONE] at the end.
func Events(data ...string) Turn {
	texts := make([]string, 0, len(data)+1)
	for _, d := range append(data, "[DONE]") {
		texts = append(texts, "data: "+d+"\n\n")
	}
	return Stream(texts...)
}

// WithDeltas puts at most about so many bytes of text or arguments in an event.
func (t Turn) WithDeltas(bytes int) Turn {
	t.streaming.delta = bytes
	return t
}

// WithPieces writes so many bytes at a time, wherever that cuts the stream.
func (t Turn) WithPieces(bytes int) Turn {
	t.streaming.piece = bytes
	return t
}

// WithoutDone leaves out the event that ends a stream.
func (t Turn) WithoutDone() Turn {
	t.streaming.noDone = true
	return t
}

// CutAfter ends the connection after so many events, and the body with it.
func (t Turn) CutAfter(events int) Turn { return t.failAfter(events, faultTruncate) }

// ResetAfter resets the connection after so many events.
func (t Turn) ResetAfter(events int) Turn { return t.failAfter(events, faultReset) }

// StallAfter is silent after so many events until Release is called or the
// client goes away.
func (t Turn) StallAfter(events int) Turn { return t.failAfter(events, faultHang) }

func (t Turn) failAfter(events int, f fault) Turn {
	t.streaming.after, t.streaming.fault = events, f
	return t
}
