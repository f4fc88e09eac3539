package guest

import (
	"slices"

	"drydock/sandbox/wire"
)

// runFresh runs code in an interpreter that ends with the call, and with all
// that it has started. Its mark keeps calls that run meanwhile from taking it
// for one of their orphans.
func (g *Guest) runFresh(req wire.PythonRequest) (wire.Result, error) {
	once := &python{g: g, env: append(slices.Clone(g.env), markName+"=fresh")}
	defer once.stop()
	if err := once.ensure(); err != nil {
		return wire.Result{}, err
	}
	r, err := once.execute(req)
	r.Replaced = ""
	return r, err
}
