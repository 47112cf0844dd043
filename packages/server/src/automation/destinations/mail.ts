import { isEmailAddress } from '../../lib/formats/email-address.ts';
import type { ContentOf, Delivery, Destination } from './destination.ts';
import { attempt, evaluated, type InsideDeps, NotDelivered, workspaceOf } from './inside.ts';

/** Sends a mail with the texts of the event to the one address that its template gives. */
export function mailDestination(deps: InsideDeps): Destination<'mail'> {
  const send = (delivery: Delivery<ContentOf<'mail'>>, sample?: { readonly email: string }): Promise<string> =>
    sendMail(deps, delivery, sample);
  return {
    deliver: (delivery) => attempt(deps, () => send(delivery)),
    test: (delivery, email) => attempt(deps, () => send(delivery, { email })),
  };
}

/** @param sample goes to the builder alone, whatever the template gives. */
async function sendMail(
  { work, meter }: InsideDeps,
  delivery: Delivery<ContentOf<'mail'>>,
  sample: { readonly email: string } | undefined,
): Promise<string> {
  const { item, orgCode: org } = delivery;
  const texts = await evaluated(delivery, { id: item.user.id });
  const to = textOf(texts.to).trim();
  if (!isEmailAddress(to)) throw new NotDelivered('refused', 'the template of the recipient gives no address');
  const { mail } = work();
  // An operator may set it up in time.
  if (mail === undefined) throw new NotDelivered('failed', 'this platform sends no mail');
  const { env } = await workspaceOf(delivery);
  const checked = meter.check(org, 'mails');
  if (checked instanceof Promise) await checked;
  // Before it is sent, and in the same turn: others see it, and a server that refuses it had it all the same.
  meter.add({ env, orgCode: org }, 'mails', 1);
  const subject = `${sample === undefined ? '' : '[test] '}${textOf(texts.subject)}`;
  const answer = await mail.deliver(
    { to: sample?.email ?? to, subject, text: textOf(texts.text) },
    { org, id: item.id },
  );
  if (answer !== 'sent') throw new NotDelivered(answer.permanent ? 'refused' : 'failed', answer.code);
  return sample === undefined ? 'sent' : 'sent to you alone';
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
