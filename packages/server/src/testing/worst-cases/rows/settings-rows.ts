/** The largest of what is written as the text of a mail. */
import type { Rows } from '../worst-case.ts';
import { json } from './requested-json.ts';

/** As many expressions as a mail has, each as long as the text has room for. */
function largestMail(): object {
  const part = (count: number): string => Array.from({ length: count }, () => `{{${'app+'.repeat(11)}app}}`).join(' ');
  return { subject: '{{workspace}}', text: `{{link}} ${part(9)}`, html: `<p>{{link}} ${part(8)}</p>` };
}

export function bothMails(): object {
  return { value: largestMail(), prod_value: largestMail() };
}

export const mailRows: Rows = {
  'POST /org/mails/:mail/test': { members: largestMail },
  'POST /org/mails/:mail/preview': {
    largest: [
      { what: 'expressions', ask: () => json(largestMail()) },
      {
        what: 'too many expressions',
        status: 400,
        ask: () => json({ ...largestMail(), text: '{{link}}'.repeat(1200) }),
      },
      { what: 'wrong expressions', status: 400, ask: () => json({ ...largestMail(), text: '{{links}}'.repeat(10) }) },
    ],
  },
};
