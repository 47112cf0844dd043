import { counted } from '../../components/words/counted.ts';

/** What a statement that is only reported would have done. */
export function wouldOf(denied: number, allowed: number): string {
  const parts = [
    ...(denied > 0 ? [`denied ${counted(denied, 'call')} that ${denied === 1 ? 'was' : 'were'} allowed`] : []),
    ...(allowed > 0 ? [`allowed ${counted(allowed, 'call')} that ${allowed === 1 ? 'was' : 'were'} denied`] : []),
  ];
  return parts.length === 0 ? 'changed nothing' : parts.join(', ');
}
