// On whatever Node there is: plain JavaScript.

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Passes signals on to a child until it has ended.
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null, passed: NodeJS.Signals | undefined }>} how it
 *   ended, and the last signal that was passed on
 */
export function passSignals(child) {
  let passed;
  const pass = (signal) => {
    passed = signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    const stop = () => {
      for (const signal of signals) process.removeListener(signal, pass);
    };
    child.once('error', (error) => {
      stop();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stop();
      resolve({ code, signal, passed });
    });
  });
}

/** Ends this process by a signal, as its child did. */
export function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
