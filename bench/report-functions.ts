/**
 * Loaded into a platform (`--import`): answers each message on the IPC channel with the functions that ran on the main
 * thread since the message before. V8 counts each call from the first message on.
 */
import { Session } from 'node:inspector';

/** A source file, and the names of its functions that ran; '' is a function without a name. */
export interface RanFile {
  readonly url: string;
  readonly functions: readonly string[];
}

const session = new Session();
session.connect();
let isCounting = false;

process.on('message', () => {
  if (!isCounting) {
    isCounting = true;
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    const ran = taken.result.map(
      ({ url, functions }): RanFile => ({
        url,
        functions: functions
          .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
          .map(({ functionName }) => functionName),
      }),
    );
    process.send?.(ran.filter(({ functions }) => functions.length > 0));
  });
});
process.channel?.unref();
