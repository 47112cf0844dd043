/** What stays of a person who is erased, and why: said by each report, whatever was found. */
import type { JobRow, Stays } from './person-job.ts';

export function eraseStays({ counts, dry_run }: Pick<JobRow, 'counts' | 'dry_run'>): readonly Stays[] {
  const { named } = counts;
  return [
    {
      what: 'audit',
      why: 'Entries of the audit log name the person by id and never by email. Reasons that builders gave stay as they typed them. The log is chained by digests, so no entry is changed or removed.',
      count: null,
    },
    {
      what: 'named',
      why: `Records whose other fields contain the id of the person ${dry_run ? 'would stay' : 'stay'} as they are: the platform cannot know what these fields mean.`,
      count: named,
    },
    {
      what: 'plain_fields',
      why: 'Fields that contain a name, an email address or another text about the person stay in records that stay: the platform cannot find them. Search the records of the app for them.',
      count: null,
    },
    {
      what: 'access_control',
      why: 'Policies, groups, roles and links that the person made keep the id of their maker.',
      count: null,
    },
    {
      what: 'invitations',
      why: 'Invitations that the person sent name their sender by id until they expire, within seven days. They can no longer be accepted.',
      count: null,
    },
    {
      what: 'settings',
      why: 'Settings of the org, and their versions, stay as builders wrote them, also where they name an email address such as that of the first admin of production.',
      count: null,
    },
    {
      what: 'automation',
      why: 'Runs of logic blocks, messages that wait for delivery and receipts of deliveries contain the values of their time. They are removed when they expire: 7 days after their end, unless the plan of the org says otherwise.',
      count: null,
    },
    {
      what: 'deliveries',
      why: 'Messages and mails that were delivered before are in other systems, which the platform cannot reach.',
      count: null,
    },
    {
      what: 'answers',
      why: 'Replies that are kept for repeated requests contain the values of their time. They are removed 24 hours after the request.',
      count: null,
    },
    {
      what: 'codes',
      why: 'Codes that were mailed, and tokens that end, name the account by id until they expire, within 24 hours. They open nothing.',
      count: null,
    },
    {
      what: 'denials',
      why: 'The last 200 refusals of the org are kept in the memory of the process, by id. They are gone when it restarts.',
      count: null,
    },
    {
      what: 'decisions',
      why: 'Samples of the calls that policies have decided name the person by id, with the network address and the values that the policies compared. They are removed after seven days.',
      count: null,
    },
    {
      what: 'usage',
      why: 'Usage is counted by workspace and entity. The counts name no person and stay.',
      count: null,
    },
    {
      what: 'backups',
      why: 'Backups from before contain everything. Those of the schedule are removed when as many newer ones are kept as the operator has set, others when the operator removes them. A restore brings the person back.',
      count: null,
    },
    {
      what: 'store',
      why: 'The files of the embedded store are overwritten where something is removed, and their logs emptied ten seconds later, or when a backup under way has ended. PostgreSQL keeps removed rows until its vacuum, and its log and archives for as long as the operator has set.',
      count: null,
    },
    {
      what: 'logs',
      why: 'Logs of the process name the person by id, for as long as the operator keeps them.',
      count: null,
    },
  ];
}

/** What a merge leaves as it is. */
export function mergeStays({ counts }: Pick<JobRow, 'counts'>): readonly Stays[] {
  return [
    {
      what: 'named',
      why: 'Records whose other fields contain the id of the account that ends keep it: the platform cannot know what these fields mean.',
      count: counts.named,
    },
    {
      what: 'audit',
      why: 'Entries of the audit log keep the id of the account that acted. The log is chained by digests, so no entry is changed.',
      count: null,
    },
    {
      what: 'access_control',
      why: 'Policies, groups, roles and links that the account made keep the id of their maker.',
      count: null,
    },
    {
      what: 'automation',
      why: 'Runs and deliveries contain the values of their time until they expire.',
      count: null,
    },
  ];
}
