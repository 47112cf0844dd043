import { Anchor, List } from '@mantine/core';
import { useState } from 'react';
import { Sentence } from '../../components/sentence.tsx';
import classes from './deploy.module.css';

interface Props {
  readonly of: readonly string[];
  /** Those that say what is taken out. */
  readonly losses: readonly string[];
  readonly label: string;
}

const shownAtFirst = 5;

/** A change in sentences, losses in red and first. */
export function Sentences({ of, losses, label }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const lost = new Set(losses);
  const inOrder = [...of.filter((one) => lost.has(one)), ...of.filter((one) => !lost.has(one))];
  const shown = isWhole ? inOrder : inOrder.slice(0, shownAtFirst);
  return (
    <>
      <List size="sm" aria-label={label} className={classes.sentences}>
        {shown.map((sentence) => (
          <List.Item key={sentence} {...(lost.has(sentence) ? { className: classes.loss } : {})}>
            <Sentence text={sentence} />
          </List.Item>
        ))}
      </List>
      {inOrder.length > shownAtFirst && (
        <Anchor component="button" type="button" size="sm" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${inOrder.length} sentences`}
        </Anchor>
      )}
    </>
  );
}
