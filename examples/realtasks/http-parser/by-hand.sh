# The edits of turns.jsonl made by hand; runs in the tree's root.
sed -i '/^                parser->uses_transfer_encoding = 1;$/a\
                /* Only the last of several such headers tells the body'"'"'s framing. */\
                parser->flags \&= ~F_CHUNKED;' http_parser.c
