# The persistent interpreter: reads requests from descriptor 3, answers on 4.
# A request is a length line and that many bytes of JSON; so is an answer.
# Everything is inside one function so that no name of it is in the user's way.
def _drydock():
    import _thread, ast, base64, io, json, linecache, os, signal, struct, sys, traceback, types
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
    state = {'busy': False, 'cell': 0, 'late': False, 'loop': None}
    late = {}  # native ids of threads that outlived their call: its stream

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

    def put(path, flags, *targets):
        # Where code has closed the standard descriptors, the new one is one of
        # them, and must stay open.
        fd = os.open(path, flags)
        for target in targets:
            os.dup2(fd, target)
        if fd > 2:
            os.close(fd)

    class Shared(io.TextIOWrapper):
        # A thread that outlived its call goes on printing into that call.
        def write(self, text):
            return (late.get(_thread.get_native_id()) or super()).write(text)

    def writer(fd, close=False):
        # Plain streams are faster, and nearly always enough.
        kind = Shared if late and not close else io.TextIOWrapper
        return kind(io.FileIO(fd, 'w', closefd=close), encoding='utf-8', errors='backslashreplace', line_buffering=True)

    def streams():
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = writer(1), writer(2)

    def redirect(path):
        put(os.devnull, os.O_RDONLY, 0)
        put(path, os.O_WRONLY, 1, 2)
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.FileIO(0, 'r', closefd=False), encoding='utf-8', errors='replace')
        adopt(None)
        streams()

    def adopt(stream):
        # Gives the threads that are alive and have none yet a stream, and lets go
        # of the streams of those that have ended.
        threading = sys.modules.get('threading')
        if threading is None:
            return False
        alive = {t.native_id for t in threading.enumerate()} - {_thread.get_native_id()}
        for gone in late.keys() - alive:
            late.pop(gone)
        new = alive - late.keys() if stream else ()
        late.update((t, stream) for t in new)
        return bool(new)

    def flush():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

    # Half a line waits in a buffer, and a program must not print before it.
    def on_event(event, args):
        if event in starts and state['busy']:
            flush()
    starts = {'subprocess.Popen', 'os.system', 'os.posix_spawn', 'os.fork', 'os.forkpty', 'os.exec', 'os.spawn'}
    sys.addaudithook(on_event)

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

    def evaluate(code):
        # Code with await at its top level gives a coroutine. All calls share one
        # event loop, so that what one has made can be awaited by another.
        value = eval(code, space)
        if not code.co_flags & 0x80:
            return value
        import asyncio
        loop = state['loop']
        if loop is None or loop.is_closed():
            loop = state['loop'] = asyncio.new_event_loop()
        task = loop.create_task(value)
        try:
            return loop.run_until_complete(task)
        finally:
            if not task.done() and not loop.is_closed():
                task.cancel()
                loop.run_until_complete(asyncio.wait([task], timeout=0.1))

    def run(source, name):
        tree = compile(source, name, 'exec', ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        code = compile(tree, name, 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        tail = compile(last, name, 'eval', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True) if last else None
        evaluate(code)
        if tail is not None:
            value = evaluate(tail)
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
        try:
            if adopt(writer(os.dup(1), close=True)):
                streams()
        except Exception:
            pass  # what they print is lost then
        put(os.devnull, os.O_WRONLY, 1, 2)
        answer['mark'] = mark
        send(answer)
_drydock()
