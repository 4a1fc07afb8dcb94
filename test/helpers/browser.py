# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium by its own debugging protocol: opens a page, waits, takes pictures and looks into it."""

import base64
import io
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

CHROMIUM = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
FLAGS = (
    '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--lang=en-US', '--hide-scrollbars',
    '--remote-debugging-port=0', '--remote-allow-origins=*')
PATIENCE = 60.0     # [s]


@contextmanager
def page(url, size=(1000, 700)):
    """An open page at a URL."""
    from websockets.sync.client import connect
    profile = tempfile.mkdtemp(prefix='hod_browser_')
    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, f'--window-size={size[0]},{size[1]}', f'--user-data-dir={profile}', 'about:blank'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, 'LANG': 'en_US.UTF-8'}, start_new_session=True)
    try:
        port = Path(profile) / 'DevToolsActivePort'
        wait_for(lambda: port.exists() and len(port.read_text().splitlines()) > 1, 'the browser')
        with urlopen(f'http://127.0.0.1:{port.read_text().splitlines()[0]}/json', timeout=PATIENCE) as answer:
            target = next(target for target in json.load(answer) if target['type'] == 'page')
        with connect(target['webSocketDebuggerUrl'], max_size=None, open_timeout=PATIENCE) as socket:
            opened = Page(socket)
            opened.ask('Page.navigate', url=url)
            wait_for(lambda: opened.value('document.readyState === "complete" && location.href !== "about:blank"'), url)
            yield opened
    finally:
        os.killpg(process.pid, 9)
        process.wait()
        shutil.rmtree(profile, ignore_errors=True)


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f'{what} did not come within {PATIENCE:g} s'
        time.sleep(0.1)


class Page:
    def __init__(self, socket):
        self._socket = socket
        self._numbers = itertools.count(1)

    def ask(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({'id': number, 'method': method, 'params': parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get('id') == number:
                assert 'error' not in answer, answer
                return answer['result']

    def value(self, expression):
        """What a JavaScript expression gives."""
        return self.ask('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')

    def picture(self):
        """(height, width, 3) pixels of the page."""
        import numpy as np
        from PIL import Image
        data = base64.b64decode(self.ask('Page.captureScreenshot', format='png')['data'])
        return np.asarray(Image.open(io.BytesIO(data)).convert('RGB'))
