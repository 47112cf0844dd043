import { Alert, List, Text } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './deploy.module.css';
import type { Check } from './queries.ts';

const colors = { error: 'red', warning: 'yellow' } as const;
const titles = { error: 'This stands against the activation', warning: 'Know this before you activate' } as const;

/** The findings of the platform: errors first, plain changes last, in sentences. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const changes = checks
    .filter(({ level }) => level === 'info')
    .toSorted((one, other) => weightOf(one) - weightOf(other));
  return (
    <>
      {(['error', 'warning'] as const).map((level) => {
        const found = checks.filter((check) => check.level === level);
        return found.length === 0 ? null : (
          <Alert key={level} color={colors[level]} title={titles[level]} p="xs" my={4}>
            <List size="sm">
              {found.map((check) => (
                <List.Item key={check.message}>
                  <Sentence text={check.message} />
                  <Details check={check} />
                </List.Item>
              ))}
            </List>
          </Alert>
        );
      })}
      {changes.length > 0 && (
        <List size="sm" className={classes.sentences}>
          {changes.map(({ check, message, loss }) => (
            <List.Item key={`${check} ${message}`} {...(loss === true ? { className: classes.loss } : {})}>
              <Sentence text={message} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}

/** Losses first, then what else changes, then what the platform does for it. */
function weightOf({ check, loss }: Check): number {
  return loss === true ? 0 : check === 'impact' ? 1 : 2;
}

interface Example {
  readonly tenant_code: string;
  readonly id: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

/** Records that break a rule: where they are and which rule, never their values. */
function Details({ check }: { readonly check: Check }) {
  const { examples, would_lose: lost } = check as { readonly examples?: unknown; readonly would_lose?: unknown };
  return (
    <>
      {isList<{ readonly name: string; readonly records: number }>(lost) &&
        lost.map(({ name, records }) => (
          <Text key={name} size="xs">
            {name}: {counted(records, 'record')}
          </Text>
        ))}
      {isList<Example>(examples) &&
        examples.map(({ tenant_code, id, errors = [] }) => (
          <Text key={id} size="xs" component="div">
            In {tenant_code}, <CopyId value={id} what="id of the record" />
            {errors.map(({ pointer, message }) => (
              <div key={pointer + message}>
                {pointer.slice(1)} {message}
              </div>
            ))}
          </Text>
        ))}
    </>
  );
}

function isList<Element>(value: unknown): value is readonly Element[] {
  return Array.isArray(value);
}
