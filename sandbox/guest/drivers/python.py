# The persistent interpreter: reads requests from descriptor 3, answers on 4.
# A request is a length line and that many bytes of JSON; so is an answer.
# Everything is inside one function so that no name of it is in the user's way.
def _drydock():
    import ast, base64, io, json, linecache, os, signal, struct, sys, traceback, types
    sys.path.sort(key=lambda p: p != '')  # the workspace comes first for others
    home = os.getpid()
    req, rep = 3, 4
    os.set_inheritable(req, False)
    os.set_inheritable(rep, False)
    main = types.ModuleType('__main__')
    main.__builtins__ = __builtins__
    sys.modules['__main__'] = main
    sys.argv = ['']
    space = main.__dict__
    state = {'busy': False, 'cell': 0, 'late': False}

    def on_interrupt(signum, frame):
        # Between two calls there is nothing to interrupt.
        if state['busy'] and os.getpid() == home:
            state['late'] = True
            raise KeyboardInterrupt
    signal.signal(signal.SIGINT, on_interrupt)

    def read_exact(n):
        parts = []
        while n:
            part = os.read(req, min(n, 1 << 20))
            if not part:
                os._exit(0)
            parts.append(part)
            n -= len(part)
        return b''.join(parts)

    def receive():
        size, = struct.unpack('>I', read_exact(4))
        return json.loads(read_exact(size))

    def send(answer):
        raw = json.dumps(answer).encode()
        raw = struct.pack('>I', len(raw)) + raw
        while raw:
            raw = raw[os.write(rep, raw):]

    def redirect(path):
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        out = os.open(path, os.O_WRONLY)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.close(out)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, 'r', closefd=False), encoding='utf-8', errors='replace')
        sys.stdout = io.TextIOWrapper(io.FileIO(1, 'w', closefd=False), encoding='utf-8', errors='backslashreplace', line_buffering=True)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, 'w', closefd=False), encoding='utf-8', errors='backslashreplace', line_buffering=True)
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr

    def flush():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

    def forget(report, seen):
        # Frames of this driver are nobody's concern.
        if report is None or id(report) in seen:
            return
        seen.add(id(report))
        report.stack[:] = [f for f in report.stack if f.filename != own]
        forget(report.__cause__, seen)
        forget(report.__context__, seen)

    def show(kind, value, tb):
        try:
            report = traceback.TracebackException(kind, value, tb)
            forget(report, set())
            text = ''.join(report.format())
        except BaseException as err:
            text = '%s (its text could not be made: %s)\n' % (kind.__name__, type(err).__name__)
        try:
            sys.stderr.write(text)
        except BaseException:
            os.write(2, text.encode('utf-8', 'backslashreplace'))

    def run(source, name):
        tree = compile(source, name, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        code = compile(tree, name, 'exec', dont_inherit=True)
        tail = compile(last, name, 'eval', dont_inherit=True) if last else None
        exec(code, space)
        if tail is not None:
            value = eval(tail, space)
            if value is not None:
                space['_'] = value
                text = repr(value)
                sys.stdout.write(text + '\n')

    def exit_code(value):
        if value is None:
            return 0
        if isinstance(value, int):
            return value & 0xff
        sys.stderr.write(str(value) + '\n')
        return 1

    def figures():
        pyplot = sys.modules.get('matplotlib.pyplot')
        images = []
        if pyplot is None:
            return images
        for num in pyplot.get_fignums()[:8]:
            buf = io.BytesIO()
            try:
                pyplot.figure(num).savefig(buf, format='png', bbox_inches='tight')
            except Exception as err:
                sys.stderr.write('figure %s could not be drawn: %s\n' % (num, err))
                continue
            if buf.tell() <= 4 << 20:
                images.append(base64.b64encode(buf.getvalue()).decode())
        pyplot.close('all')
        return images

    def call(request):
        state['cell'] += 1
        name = '<cell %d>' % state['cell']
        source = request['code']
        if source.startswith('\ufeff'):
            source = source[1:]
        source = source.replace('\r\n', '\n').replace('\r', '\n')
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        os.environ[request['mark_name']] = request['mark']
        code, images = 0, []
        try:
            redirect(request['out'])
            state['busy'] = True
            try:
                run(source, name)
                images = figures()
            finally:
                state['busy'] = False
        except SystemExit as stop:
            code = exit_code(stop.code)
        except BaseException:
            code = 1
            show(*sys.exc_info())
        if os.getpid() != home:
            # A forked copy of the interpreter came out at the end of the code.
            flush()
            os._exit(code)
        flush()
        return {'code': code, 'images': images}

    own = call.__code__.co_filename
    send({'mark': '', 'code': 0, 'images': []})  # ready
    while True:
        request = receive()
        mark, answer = request['mark'], None
        while answer is None:
            try:
                answer = call(request) if request is not None else {'code': 1, 'images': []}
            except KeyboardInterrupt:
                request = None
        # Late threads keep the call's pipe; this process lets go of it.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        answer['mark'] = mark
        send(answer)
_drydock()
