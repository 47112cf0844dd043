/**
 * Runs `freehold doctor` beside the running platform. In a process of its own: the doctor opens and closes the files of
 * the stores, and a process that closes such a file loses the locks that it has on it (POSIX, `fcntl`).
 */
import { execFile } from 'node:child_process';
import type { platformDoctorApi } from '@freehold/contract/management/operator/doctor';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { launcher } from '../../lib/installation.ts';

export type Diagnosis = ReplyOf<typeof platformDoctorApi.readDiagnosis>;
type DiagnosisItem = Diagnosis['items'][number];

export interface Diagnoses {
  /** The last one if it is new enough, else the next. */
  read(): Promise<Diagnosis>;
}

/** The output of the doctor, a finding a line, and whether it came to its end. */
export type Diagnose = () => Promise<{ readonly lines: string; readonly isComplete: boolean }>;

const keptMilliseconds = 30_000;

export function createDiagnoses(clock: Clock, look: Diagnose = lookInProcess): Diagnoses {
  let last: { readonly diagnosis: Diagnosis; readonly endedAt: number } | undefined;
  let underWay: Promise<Diagnosis> | undefined;
  const begin = async (): Promise<Diagnosis> => {
    const at = timestamp(clock.now());
    const { lines, isComplete } = await look();
    const items = lines.split('\n').flatMap(readFinding);
    const faults = items.filter(({ kind }) => kind === 'fault').length;
    const diagnosis = { at, complete: isComplete, faults, items };
    last = { diagnosis, endedAt: clock.now() };
    return diagnosis;
  };
  return {
    read: async () => {
      const age = last === undefined ? Number.NaN : clock.now() - last.endedAt;
      if (last !== undefined && age >= 0 && age < keptMilliseconds) return last.diagnosis;
      underWay ??= begin().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

/** Less than a connection may be without movement. */
const options = { timeout: 25_000, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const;

function lookInProcess(): ReturnType<Diagnose> {
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, 'doctor', '--running', '--json'], options, (error, lines) => {
      // 1 where there is a fault.
      resolve({ lines, isComplete: error === null || error.code === 1 });
    });
  });
}

/** The last line may be cut off. */
function readFinding(line: string): readonly DiagnosisItem[] {
  try {
    return [JSON.parse(line) as DiagnosisItem];
  } catch {
    return [];
  }
}
