import type { Operation, Parameter } from './openapi.ts';

/** What was filled in: values of parameters by their place and name, and the text of the body. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  readonly text: string;
}

export function keyOf({ in: place, name }: Parameter): string {
  return `${place} ${name}`;
}

/** The path and the query below the gateway. A parameter of the path without a value stays as it is described. */
export function targetOf({ path, parameters }: Operation, { values }: Filled): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[`path ${name}`] ?? '';
    return value === '' ? whole : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const parameter of parameters) {
    const value = values[keyOf(parameter)] ?? '';
    if (parameter.in === 'query' && value !== '') search.append(parameter.name, value);
  }
  const query = search.toString();
  return query === '' ? filled : `${filled}?${query}`;
}

export function headersOf({ parameters }: Operation, { values }: Filled): Readonly<Record<string, string>> {
  const sent = parameters.filter((one) => one.in === 'header' && (values[keyOf(one)] ?? '') !== '');
  return Object.fromEntries(sent.map((one) => [one.name, values[keyOf(one)] ?? '']));
}

/** The first needed parameter without a value. */
export function missingOf({ parameters }: Operation, { values }: Filled): string | undefined {
  return parameters.find((one) => one.required === true && (values[keyOf(one)] ?? '') === '')?.name;
}
