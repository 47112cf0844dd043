import { Anchor, Button, Code, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { destinationOf, type EventContent } from './event-content.ts';
import { capital } from './event-table.tsx';
import classes from './events.module.css';
import { actionOf, waitingText } from './words.ts';

interface Props {
  readonly name: string;
  readonly content: EventContent;
  readonly version: number | undefined;
  /** The number of deliveries that wait; undefined for an event without any, or while they are counted. */
  readonly waiting: number | undefined;
}

/** The definition of an event, which is a config item and changed as such. */
export function DefinitionTab({ name, content, version, waiting }: Props) {
  const { org, env, readOnlyReason } = usePlace();
  const { entity_name, when, entry_conditions = [], event_type } = content;
  return (
    <Stack>
      <dl className={classes.facts}>
        <dt>Entity</dt>
        <dd>
          <Anchor component={Link} to={`/o/${org}/${env}/entities/${entity_name}`} size="sm">
            {entity_name}
          </Anchor>
        </dd>
        <dt>Condition</dt>
        <dd>
          {when === undefined && entry_conditions.length === 0 ? 'none: every such write counts' : null}
          {when !== undefined && <Code>{when}</Code>}
          {entry_conditions.map(({ field, op, value }) => (
            <div key={`${field} ${op} ${JSON.stringify(value)}`}>
              <Code>{`${field} ${op} ${JSON.stringify(value)}`}</Code>
            </div>
          ))}
        </dd>
        <dt>What it does</dt>
        <dd>
          <Action content={content} />
        </dd>
        {env === 'test' && content.prod_destination_config !== undefined && (
          <>
            <dt>In production</dt>
            <dd>{capital(actionOf({ event_type, destination: destinationOf(content, 'prod') }))}</dd>
          </>
        )}
        {waiting !== undefined && (
          <>
            <dt>Waiting</dt>
            <dd>{waitingText(waiting)}</dd>
          </>
        )}
        {version !== undefined && (
          <>
            <dt>Version</dt>
            <dd>{version}</dd>
          </>
        )}
      </dl>
      <JsonBlock label="Definition in JSON" value={content} />
      <Group>
        {readOnlyReason === undefined ? (
          <Button component={Link} to={`/o/${org}/${env}/config/event/${name}`} variant="default">
            Edit the definition
          </Button>
        ) : (
          <ReasonedButton reason={readOnlyReason} variant="default">
            Edit the definition
          </ReasonedButton>
        )}
      </Group>
    </Stack>
  );
}

/** What the event does in the environment that is looked at. */
function Action({ content }: { readonly content: EventContent }) {
  const { org, env } = usePlace();
  const { event_type } = content;
  const destination = destinationOf(content, env);
  const { logicblock: block } = destination;
  if (event_type !== 'logicblock' || block === undefined) return capital(actionOf({ event_type, destination }));
  return (
    <>
      Runs the logic block{' '}
      <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks/${block}`} size="sm" underline="always">
        {block}
      </Anchor>
    </>
  );
}
