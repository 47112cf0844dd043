import { boundsOf, nameOf, type OpenapiDocument, resolved, type Schema, typeOf } from '@freehold/docs/openapi/openapi';
import { Code, Text } from '@mantine/core';
import { useState } from 'react';
import { Sentence } from '../../components/sentence.tsx';
import classes from './api.module.css';

interface Props {
  readonly document: OpenapiDocument;
  readonly schema: Schema;
}

/** What a value is. Members of members are made when they are opened, so that no document is too deep. */
export function SchemaView({ document, schema }: Props) {
  const parts = partsOf(document, schema);
  const [first] = parts;
  if (parts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {typeOf(resolved(document, schema))}
      </Text>
    );
  if (parts.length === 1 && first !== undefined) return <Members document={document} schema={first.schema} />;
  return parts.map((part) => <Part key={part.name} document={document} {...part} />);
}

interface NamedPart {
  readonly name: string;
  readonly schema: Schema;
}

/** The objects that a value may be, or that its elements may be. */
function partsOf(document: OpenapiDocument, given: Schema): readonly NamedPart[] {
  const schema = resolved(document, given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => partsOf(document, choice));
  if (schema.items !== undefined) return partsOf(document, schema.items);
  if (schema.properties === undefined) return [];
  return [{ name: given.$ref === undefined ? 'object' : nameOf(given.$ref), schema }];
}

function Part({ document, name, schema }: NamedPart & { readonly document: OpenapiDocument }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>{name}</summary>
      {isOpen && <Members document={document} schema={schema} />}
    </details>
  );
}

function Members({ document, schema: { properties = {}, required = [] } }: Props) {
  return (
    <ul className={classes.members}>
      {Object.entries(properties).map(([name, member]) => (
        <Member key={name} document={document} schema={member} name={name} isNeeded={required.includes(name)} />
      ))}
    </ul>
  );
}

function Member({ document, schema, name, isNeeded }: Props & { readonly name: string; readonly isNeeded: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const { description, readOnly } = schema;
  const words = [typeOf(schema), boundsOf(schema), isNeeded ? 'always' : '', readOnly === true ? 'read only' : ''];
  return (
    <li>
      <Code>{name}</Code> <span className={classes.summary}>{words.filter((word) => word !== '').join(', ')}</span>
      {description !== undefined && (
        <div className={classes.summary}>
          <Sentence text={description} />
        </div>
      )}
      {partsOf(document, schema).length > 0 && (
        <details className={classes.details} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
          <summary aria-label={`Members of ${name}`}>Members</summary>
          {isOpen && <SchemaView document={document} schema={schema} />}
        </details>
      )}
    </li>
  );
}
