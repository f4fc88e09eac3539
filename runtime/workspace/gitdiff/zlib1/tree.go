package zlib1

// tree is a Huffman tree under construction. Its nodes are the symbols, then
// the joints in the order they are made. Among nodes of equal weight the
// library takes the shallower, and then whichever its heap has on top: so the
// heap has to move exactly like this one.
type tree struct {
	symbols int // up to the last that occurs
	weight  []int
	depth   []int
	parent  []int
	heap    []int // the lightest node at 1; 0 is not used
	order   []int // nodes in the order they were joined, the lightest first
}

// newTree starts with the symbols that occur. The format wants two of them, so
// the first ones are taken to occur once if there are fewer.
func newTree(counts []int) *tree {
	nodes := 2 * len(counts)
	t := &tree{
		weight: append(make([]int, 0, nodes), counts...),
		depth:  make([]int, len(counts), nodes), parent: make([]int, nodes),
		heap: make([]int, 1, len(counts)+1),
	}
	for symbol, n := range counts {
		if n > 0 {
			t.heap = append(t.heap, symbol)
			t.symbols = symbol + 1
		}
	}
	for len(t.heap) < 3 {
		symbol := 0
		if t.symbols < 3 {
			symbol = t.symbols
			t.symbols++
		}
		t.weight[symbol] = 1
		t.heap = append(t.heap, symbol)
	}
	return t
}

// join links the two lightest nodes until one is left.
func (t *tree) join() {
	for i := (len(t.heap) - 1) / 2; i >= 1; i-- {
		t.sink(i)
	}
	for len(t.heap) > 2 {
		a := t.heap[1]
		last := len(t.heap) - 1
		t.heap[1] = t.heap[last]
		t.heap = t.heap[:last]
		t.sink(1)
		b := t.heap[1]

		joint := len(t.weight)
		t.weight = append(t.weight, t.weight[a]+t.weight[b])
		t.depth = append(t.depth, max(t.depth[a], t.depth[b])+1)
		t.parent[a], t.parent[b] = joint, joint
		t.order = append(t.order, a, b)
		t.heap[1] = joint
		t.sink(1)
	}
}

// sink moves the node at i down to where neither node below is lighter.
func (t *tree) sink(i int) {
	node := t.heap[i]
	for {
		below := 2 * i
		if below >= len(t.heap) {
			break
		}
		if below+1 < len(t.heap) && t.before(t.heap[below+1], t.heap[below]) {
			below++
		}
		if t.before(node, t.heap[below]) {
			break
		}
		t.heap[i] = t.heap[below]
		i = below
	}
	t.heap[i] = node
}

func (t *tree) before(a, b int) bool {
	return t.weight[a] < t.weight[b] || t.weight[a] == t.weight[b] && t.depth[a] <= t.depth[b]
}

// lengths gives the bits of every symbol's code, at most longest.
func (t *tree) lengths(longest int) []uint8 {
	bits := make([]int, len(t.weight)) // the root has none
	count := make([]int, longest+1)    // symbols by code length
	tooLong := 0
	for i := len(t.order) - 1; i >= 0; i-- {
		node := t.order[i]
		bits[node] = bits[t.parent[node]] + 1
		if bits[node] > longest {
			bits[node] = longest
			tooLong++
		}
		if node < t.symbols {
			count[bits[node]]++
		}
	}
	lengths := make([]uint8, t.symbols)
	if tooLong == 0 {
		for i := range lengths {
			lengths[i] = uint8(bits[i])
		}
		return lengths
	}
	shorten(count, tooLong)
	t.assign(lengths, count)
	return lengths
}

// shorten makes room for the nodes whose codes were cut: a symbol further up
// becomes a joint, with itself and a cut one below it.
func shorten(count []int, tooLong int) {
	longest := len(count) - 1
	for ; tooLong > 0; tooLong -= 2 {
		n := longest - 1
		for count[n] == 0 {
			n--
		}
		count[n]--
		count[n+1] += 2
		count[longest]--
	}
}

// assign hands out lengths, the longest to the lightest symbols.
func (t *tree) assign(lengths []uint8, count []int) {
	next := 0
	for n := len(count) - 1; n > 0; n-- {
		for left := count[n]; left > 0; next++ {
			if node := t.order[next]; node < t.symbols {
				lengths[node] = uint8(n)
				left--
			}
		}
	}
}
