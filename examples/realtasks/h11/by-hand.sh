# The edits of turns.jsonl made by hand; runs in the tree's root.
sed -i '/self\._bytes_to_discard -= len(data)/i\
            due = b"\\r\\n"[-self._bytes_to_discard :]\
            if not due.startswith(data):\
                raise LocalProtocolError(f"chunk data not followed by CRLF: {data!r}")' h11/_readers.py

seeds=fuzz/afl-server-examples
head='POST /chunks HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n'
printf "$head"'3\r\nabc__1a\r\n' >$seeds/bad-chunk-footer
printf "$head"'4\r\n\000\377\r\n\r\n0\r\n\r\n' >$seeds/binary-chunk

cat >newsfragments/+chunk-footer.bugfix.rst <<'EOF'
A chunk of a chunked body must now be followed by ``\r\n``. Until now any two
bytes were taken for it, which let a peer smuggle requests past h11.
EOF
