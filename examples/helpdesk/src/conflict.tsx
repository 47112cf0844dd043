import type { RecordOf } from '@freehold/react';
import { useState } from 'react';
import type { Status } from './ticket-parts.tsx';

type Ticket = RecordOf<'ticket'>;

/** The fields that the form edits. */
export interface Draft {
  readonly subject: string;
  readonly status: Status;
  readonly priority: number;
}

const labels: Readonly<Record<keyof Draft, string>> = { subject: 'Subject', status: 'Status', priority: 'Priority' };
const fields = Object.keys(labels) as readonly (keyof Draft)[];

export function draftOf({ subject, status, priority }: Ticket): Draft {
  return { subject, status: status ?? 'open', priority };
}

/** The members in which the second draft differs from the first. */
export function mergeOf(before: Draft, after: Draft): Partial<Draft> {
  return Object.fromEntries(fields.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}

interface ConflictProps {
  readonly shown: Ticket;
  readonly mine: Draft;
  readonly current: Ticket;
  readonly isBusy: boolean;
  readonly onChosen: (draft: Draft) => void;
  readonly onCancel: () => void;
}

/**
 * Shows what has changed since the form opened. A field that one side alone has changed keeps that change; where both
 * have, the user chooses.
 */
export function Conflict({ shown, mine, current, isBusy, onChosen, onCancel }: ConflictProps) {
  const before = draftOf(shown);
  const theirs = draftOf(current);
  const changed = fields.filter((name) => before[name] !== theirs[name] || before[name] !== mine[name]);
  const [takesTheirs, setTakesTheirs] = useState<ReadonlySet<keyof Draft>>(
    () => new Set(fields.filter((name) => mine[name] === before[name])),
  );
  const choose = (name: keyof Draft, isTheirs: boolean) => {
    const chosen = new Set(takesTheirs);
    if (isTheirs) chosen.add(name);
    else chosen.delete(name);
    setTakesTheirs(chosen);
  };
  const save = () =>
    onChosen({
      subject: takesTheirs.has('subject') ? theirs.subject : mine.subject,
      status: takesTheirs.has('status') ? theirs.status : mine.status,
      priority: takesTheirs.has('priority') ? theirs.priority : mine.priority,
    });
  return (
    <section className="card conflict" role="alert" aria-labelledby="conflict">
      <h2 id="conflict">This ticket has changed meanwhile</h2>
      <p>Someone saved it while you were editing. Nothing of yours is lost: choose what to keep.</p>
      {changed.map((name) => (
        <fieldset key={name}>
          <legend>{labels[name]}</legend>
          <p className="muted">It was “{before[name]}” when you opened the form.</p>
          <label>
            <input type="radio" checked={!takesTheirs.has(name)} onChange={() => choose(name, false)} />
            Yours: {mine[name]}
          </label>
          <label>
            <input type="radio" checked={takesTheirs.has(name)} onChange={() => choose(name, true)} />
            Saved: {theirs[name]}
          </label>
        </fieldset>
      ))}
      {changed.length === 0 && <p>The change concerns other fields than those of this form.</p>}
      <div className="buttons">
        <button type="button" className="primary" disabled={isBusy} onClick={save}>
          Save the choice
        </button>
        <button type="button" onClick={onCancel}>
          Discard mine
        </button>
      </div>
    </section>
  );
}
