package abuse

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Text is everything of the output that was kept.
func (o Outcome) Text() string { return string(o.Result.Head) + string(o.Result.Tail) }

// said is the outcome for a person, in one line.
func (o Outcome) said() string {
	const most = 200
	text := o.Text()
	if o.Err != nil {
		text = o.Err.Error()
	}
	if len(text) > most {
		text = text[:most/2] + " ... " + text[len(text)-most/2:]
	}
	return fmt.Sprintf("%s %d %q", o.Ending, o.Result.ExitCode, text)
}

// outcomeOf sorts what a call came to.
func outcomeOf(res wire.Result, err error, began time.Time) Outcome {
	o := Outcome{Ending: Ending(res.Status), Result: res, Err: err, Took: time.Since(began)}
	var (
		call *sandbox.CallError
		lost *sandbox.LostError
	)
	switch {
	case err == nil && res.Status == "":
		o.Ending = OK // of a file operation
	case err == nil:
	case errors.As(err, &call):
		o.Ending = Refused
	case errors.As(err, &lost):
		o.Ending = Lost
	case errors.Is(err, sandbox.ErrClosed):
		o.Ending = Closed
	default:
		o.Ending = Failed
	}
	return o
}

// all holds when each of the checks does.
func all(checks ...Check) Check {
	return func(o Outcome) error {
		var errs []error
		for _, check := range checks {
			errs = append(errs, check(o))
		}
		return errors.Join(errs...)
	}
}

// prints holds when that is all the output.
func prints(want string) Check {
	return func(o Outcome) error {
		if got := o.Text(); got != want {
			return fmt.Errorf("printed %.300q, want %.300q", got, want)
		}
		return nil
	}
}

// silent holds when nothing was printed: rows print what they should not have got.
func silent(o Outcome) error { return prints("")(o) }

// contains holds when the output has each of the texts.
func contains(texts ...string) Check {
	return func(o Outcome) error {
		for _, text := range texts {
			if !strings.Contains(o.Text(), text) {
				return fmt.Errorf("printed %.300q, without %q", o.Text(), text)
			}
		}
		return nil
	}
}

// lacks holds when the output has none of the texts.
func lacks(texts ...string) Check {
	return func(o Outcome) error {
		for _, text := range texts {
			if strings.Contains(o.Text(), text) {
				return fmt.Errorf("printed %.300q, with %q", o.Text(), text)
			}
		}
		return nil
	}
}

// code holds when that is the exit code.
func code(want int) Check {
	return func(o Outcome) error {
		if o.Result.ExitCode != want {
			return fmt.Errorf("exit code %d, want %d", o.Result.ExitCode, want)
		}
		return nil
	}
}

// replaced holds when the result says that the shell or interpreter is a new one.
func replaced(o Outcome) error {
	if o.Result.Replaced == "" {
		return errors.New("the result does not say that the state is lost")
	}
	return nil
}

// kept holds when the state was not lost.
func kept(o Outcome) error {
	if o.Result.Replaced != "" {
		return fmt.Errorf("the state was lost: %s", o.Result.Replaced)
	}
	return nil
}

// killedForMemory holds when the result counts a kill by the kernel.
func killedForMemory(o Outcome) error {
	if o.Result.OOMKills == 0 {
		return errors.New("the result counts no kill for memory")
	}
	return nil
}

// within holds when the case came back that fast.
func within(limit time.Duration) Check {
	return func(o Outcome) error {
		if o.Took > limit {
			return fmt.Errorf("took %s, want at most %s", o.Took.Round(time.Millisecond), limit)
		}
		return nil
	}
}

// printed holds when the result counts exactly so many bytes, kept or not.
func printed(bytes int64) Check {
	return func(o Outcome) error {
		r := o.Result
		if r.Total != bytes || r.Total != int64(len(r.Head)+len(r.Tail))+r.Dropped {
			return fmt.Errorf("counted %d bytes (%d and %d kept, %d dropped), want %d", r.Total, len(r.Head), len(r.Tail), r.Dropped, bytes)
		}
		return nil
	}
}
