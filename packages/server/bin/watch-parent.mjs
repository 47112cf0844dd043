// On whatever Node there is: plain JavaScript.
import { readFileSync } from 'node:fs';

const pollMilliseconds = 500;

/**
 * Sends this process SIGHUP once what it hangs on has ended: the process at the other end of its IPC channel, or the
 * npm that runs it as a script (pnpm, yarn and npx say so in the same way), with the shells that wait for either. A
 * shell passes no signal on, and who is killed outright cannot: the platform would go on and keep its ports and data.
 */
export function endWithParent() {
  const hangUp = () => process.kill(process.pid, 'SIGHUP');
  if (process.channel !== undefined && process.channel !== null) {
    process.once('disconnect', hangUp);
    process.channel.unref();
  }
  if (process.env.npm_lifecycle_event === undefined) return;
  const links = linksToStarter();
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentOf(child) === parent)) return;
    clearInterval(timer);
    hangUp();
  }, pollMilliseconds);
  timer.unref();
}

/** Who is whose parent, from this process up to npm and the shells around it, as far as each waits for the one below. */
function linksToStarter() {
  const links = [];
  let child = process.pid;
  let hasMetNpm = false;
  for (;;) {
    const parent = parentOf(child);
    if (parent === undefined) return links;
    const words = wordsOf(parent);
    const isShell = shellName.test(words[0] ?? '');
    if (isShell ? !waits(words) : hasMetNpm) return links;
    hasMetNpm ||= !isShell;
    links.push({ child, parent });
    child = parent;
  }
}

const shellName = /^(?:.*\/)?(?:sh|dash|ash|bash|zsh|ksh)$/;

/** `sh -c` with nothing in the background, for which it would not wait. */
function waits([, flag = '', command = '']) {
  return /^-\w*c$/.test(flag) && !/(?:^|[^&])&(?:$|[^&])|\b(?:nohup|setsid|disown)\b/.test(command);
}

/** Of another process only Linux tells it (proc(5)). */
function parentOf(pid) {
  if (pid === process.pid) return process.ppid;
  const found = /^\d+ \(.*\) \S (\d+) /s.exec(readProc(pid, 'stat'));
  return found === null ? undefined : Number(found[1]);
}

function wordsOf(pid) {
  return readProc(pid, 'cmdline').split('\0');
}

function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
