/** The largest of what is written as the text of a mail, and of what workspaces get of their template. */
import type { Rows } from '../worst-case.ts';
import { json, noId, one, plain, small } from './row-kinds.ts';

/** As many expressions as a mail has, each as long as the text has room for. */
function largestMail(): object {
  const part = (count: number): string => Array.from({ length: count }, () => `{{${'app+'.repeat(11)}app}}`).join(' ');
  return { subject: '{{workspace}}', text: `{{link}} ${part(9)}`, html: `<p>{{link}} ${part(8)}</p>` };
}

export function bothMails(): object {
  return { value: largestMail(), prod_value: largestMail() };
}

export const mailRows: Rows = {
  'GET /org/mails': { as: 'builder', target: () => '/org/mails', largest: [{ what: 'texts', ask: () => ({}) }] },
  'POST /org/mails/:mail/preview': {
    as: 'builder',
    target: () => '/org/mails/invitation/preview',
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
  'POST /org/mails/:mail/test': small('/org/mails/none/test'),
};

export const templateRows: Rows = {
  'GET /org/workspace-template/drift': {
    as: 'builder',
    target: () => '/org/workspace-template/drift',
    largest: [{ what: 'workspaces', ask: () => ({ target: '/org/workspace-template/drift?pagesize=20' }) }],
  },
  'GET /org/workspace-template/drift/:tenant_code': {
    as: 'builder',
    target: () => '/org/workspace-template/drift/main',
    largest: [{ what: 'policies of the template', ask: () => ({}) }],
  },
  'GET /org/workspace-template/applications': plain('/org/workspace-template/applications'),
  'POST /org/workspace-template/applications': small('/org/workspace-template/applications'),
  'GET /org/workspace-template/applications/:id': one(`/org/workspace-template/applications/${noId}`),
  'GET /org/workspace-template/applications/:id/workspaces': one(
    `/org/workspace-template/applications/${noId}/workspaces`,
  ),
  'POST /org/workspace-template/applications/:id/start': one(`/org/workspace-template/applications/${noId}/start`),
  'POST /org/workspace-template/applications/:id/cancel': one(`/org/workspace-template/applications/${noId}/cancel`),
};
