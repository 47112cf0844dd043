import type { platformDoctorApi } from '@freehold/contract/management/operator/doctor';
import type { ReplyOf } from '@freehold/contract/route';
import { counted } from '../../../components/words/counted.ts';

export type Diagnosis = ReplyOf<typeof platformDoctorApi.readDiagnosis>;

interface Verdict {
  readonly title: string;
  readonly sentence: string;
  readonly color: string;
}

/** The result of the findings. */
export function verdictOf({ complete, faults, items }: Pick<Diagnosis, 'complete' | 'faults' | 'items'>): Verdict {
  const missing = complete ? '' : ' The look was not complete, so findings are missing.';
  if (faults > 0) {
    const sentence = `Each of them says what to do about it.${missing}`;
    return { title: `${counted(faults, 'fault')} found`, sentence, color: 'red' };
  }
  if (!complete)
    return {
      title: 'The look was not complete',
      sentence: 'It took too long or failed, so findings are missing. Look again.',
      color: 'orange',
    };
  const notes = items.filter(({ kind }) => kind === 'note').length;
  return {
    title: 'No faults found',
    sentence:
      notes === 0
        ? 'Nothing keeps the platform from working.'
        : 'Nothing keeps the platform from working. Read the notes.',
    color: 'teal',
  };
}
