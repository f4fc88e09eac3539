# The edits of turns.jsonl made by hand; runs in the tree's root.
sed -i \
	-e 's/^            if ik\.startswith(attr_prefix):/            if isinstance(ik, _basestring) and ik.startswith(attr_prefix):/' \
	-e '/content_handler\.startElement(key, AttributesImpl(attrs))/i\
        for name in [key] + list(attrs):\
            _check_name(name)' \
	-e '/^from xml\.sax\.saxutils import XMLGenerator/i\
import re' \
	xmltodict.py

line=$(grep -n '^def _process_namespace(' xmltodict.py | cut -d: -f1)
sed -i "$((line - 1))r /dev/stdin" xmltodict.py <<'EOF'
# What would end a name, or begin something that is not an element. A prefix
# and a local name are judged alike.
_UNSAFE_NAME = re.compile(r"""[<>/="'\s]|(?:^|:)[?!]""")


def _check_name(name):
    if not isinstance(name, _basestring) or _UNSAFE_NAME.search(name):
        raise ValueError('invalid XML name: {!r}'.format(name))


EOF
