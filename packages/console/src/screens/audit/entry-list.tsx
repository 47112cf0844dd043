import { Code, Group } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { Alike } from './alike.tsx';
import { AppUserLink } from './app-user-link.tsx';
import classes from './audit.module.css';
import { type Entry, type Names, sentenceOf } from './described-entry.ts';

interface Props {
  readonly items: readonly Entry[];
  readonly names: Names;
}

/** The entries by their days, a sentence each, with what the sentence leaves out behind it. */
export function EntryList({ items, names }: Props) {
  const days = [...Map.groupBy(items, ({ at }) => at.slice(0, 10))];
  return (
    <div>
      {days.map(([day, entries]) => (
        <section key={day} aria-label={day}>
          <h2 className={classes.day}>{dayWords.format(new Date(`${day}T00:00:00Z`))}</h2>
          <ul className={classes.list}>
            {keyed(entries).map(({ key, entry }) => (
              <EntryItem key={key} entry={entry} names={names} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** An entry has no id, and one request may write several that are alike. */
function keyed(entries: readonly Entry[]): readonly { readonly key: string; readonly entry: Entry }[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const text = JSON.stringify(entry);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return { key: `${text} ${times}`, entry };
  });
}

const dayWords = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' });

/** Plain elements: a list may have hundreds. */
function EntryItem({ entry, names }: { readonly entry: Entry; readonly names: Names }) {
  return (
    <li className={classes.entry}>
      <details>
        <summary>
          <time dateTime={entry.at} title={`${entry.at.slice(11, 19)} UTC`} className={classes.time}>
            {entry.at.slice(11, 19)}
          </time>
          <Sentence text={sentenceOf(entry, names)} />
        </summary>
        <Facts entry={entry} />
      </details>
    </li>
  );
}

function Facts({ entry }: { readonly entry: Entry }) {
  const { at, actor, action, target, env, tenant_code, request_id, detail } = entry;
  return (
    <dl className={classes.facts}>
      <dt>When</dt>
      <dd>{at.replace('T', ' ').replace('Z', ' UTC')}</dd>
      <dt>Who</dt>
      <dd>
        <Group gap="sm">
          {actor.kind.replaceAll('_', ' ')} <CopyId value={actor.id} what="id of the actor" />
          <Alike search={{ who: actor.id }}>Everything by this actor</Alike>
          {actor.kind === 'app_user' && <AppUserLink id={actor.id} env={env} />}
        </Group>
      </dd>
      <dt>Action</dt>
      <dd>
        <Code>{action}</Code>
      </dd>
      {target !== undefined && (
        <>
          <dt>Object</dt>
          <dd>
            <Group gap="sm">
              {target.kind.replaceAll('_', ' ')}
              {target.name === undefined ? '' : ` ${target.name}`} <CopyId value={target.id} what="id of the object" />
              <Alike search={{ object: target.id }}>Everything about this object</Alike>
              {target.kind === 'app_user' && <AppUserLink id={target.id} env={env} />}
            </Group>
          </dd>
        </>
      )}
      {env !== undefined && (
        <>
          <dt>Environment</dt>
          <dd>{env === 'prod' ? 'production' : 'test'}</dd>
        </>
      )}
      {tenant_code !== undefined && (
        <>
          <dt>Workspace</dt>
          <dd>{tenant_code}</dd>
        </>
      )}
      {request_id !== '' && (
        <>
          <dt>Request</dt>
          <dd>
            <Group gap="sm">
              <CopyId value={request_id} what="request id" />
              <Alike search={{ request: request_id }}>Everything in this request</Alike>
            </Group>
          </dd>
        </>
      )}
      {Object.entries(detail ?? {}).map(([name, value]) => (
        <Detail key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Detail({ name, value }: { readonly name: string; readonly value: unknown }) {
  const words = name.replaceAll('_', ' ');
  return (
    <>
      <dt>{words.charAt(0).toUpperCase() + words.slice(1)}</dt>
      <dd>{String(value)}</dd>
    </>
  );
}
