import type { Reply } from '../api/reply.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { Deliver, Mail } from './mailer.ts';

/** The inbox of mails in development: the last ones, for the developer to read and follow. */
export interface Inbox {
  /** The last mail first. Waits for those that were sent before. */
  read(): Promise<readonly ReceivedMail[]>;
}

interface ReceivedMail extends Mail {
  readonly id: string;
  readonly sent_at: string;
}

const mailsMax = 200;

/** The source of the inbox's mails. */
interface Mailbox {
  readonly deliver: Deliver;
  /** The last mail first. */
  readonly mails: () => readonly ReceivedMail[];
}

export function createMailbox(clock: Clock, newId: IdSource): Mailbox {
  const mails: ReceivedMail[] = [];
  const deliver: Deliver = async (mail) => {
    mails.unshift({ id: newId(), ...mail, sent_at: timestamp(clock.now()) });
    mails.length = Math.min(mails.length, mailsMax);
  };
  return { deliver, mails: (): readonly ReceivedMail[] => [...mails] };
}

/** The mails as a page that needs nothing else, runs nothing and sends nothing. */
export function inboxPage(mails: readonly ReceivedMail[]): Reply {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Inbox</title>
<style>${style}</style>
<h1>Inbox</h1>
<p>Nothing is sent in development: mails land here, the last one first.</p>
${mails.length === 0 ? '<p>There are none yet.</p>' : mails.map(article).join('\n')}
</html>
`;
  const headers = {
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, body, contentType: 'text/html; charset=utf-8', headers };
}

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  article { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0; padding: .75rem 1rem; }
  h2 { font-size: 1.1rem; margin: 0; }
  article p { color: GrayText; margin: 0; overflow-wrap: anywhere; }
  pre { font: inherit; margin: .75rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function article({ to, subject, text, sent_at }: ReceivedMail): string {
  return `<article>
<h2>${escaped(subject)}</h2>
<p>to ${escaped(to)}, <time datetime="${escaped(sent_at)}">${escaped(sent_at)}</time></p>
<pre>${withLinks(text)}</pre>
</article>`;
}

function withLinks(text: string): string {
  // The group makes `split` keep the addresses, at odd places.
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/);
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part) : link(escaped(part)))).join('');
}

function link(address: string): string {
  return `<a href="${address}" rel="noreferrer">${address}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
