# The edits of turns.jsonl made by hand; runs in the tree's root.
sed -i '1a\
Unreleased\
----------\
\
- Limited the length of one arc of an OBJECT IDENTIFIER in decoders.\
' CHANGES.rst

sed -i \
	-e '/^noValue = base\.noValue$/a\
\
# Octets of one OID arc that may announce a further one\
MAX_ARC_CONTINUATIONS = 20' \
	-e '/^                while nextSubId >= 128:$/{
i\
                arcStart = index
a\
                    if index - arcStart >= MAX_ARC_CONTINUATIONS:\
                        raise error.PyAsn1Error(\
                            '"'Sub-OID past %s is too long'"' % (oid,)\
                        )
}' pyasn1/codec/ber/decoder.py
