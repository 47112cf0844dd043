import { useEffect, useState } from 'react';
import { type Actor, callApp } from '../../../api/app.ts';
import { type Page, RecordPages } from './record-pages.ts';

const pageSize = 100;

/**
 * The records of a list; undefined until the first effect.
 * @param parameters The same object until the list is another one.
 */
export function useRecordPages(
  { org, env, workspace, user }: Actor,
  entity: string,
  parameters: Readonly<Record<string, string>>,
): RecordPages | undefined {
  const [pages, setPages] = useState<RecordPages>();
  useEffect(() => {
    const opened = new RecordPages(async (token, signal) => {
      const search = { $pagesize: pageSize, $explain: true, ...(token === undefined ? { $total: true } : {}) };
      const query = { ...parameters, ...search, $nexttoken: token };
      const { body } = await callApp({ org, env, workspace, user }, 'GET', `/list/${entity}`, { query, signal });
      return body as Page;
    });
    setPages(opened);
    return () => opened.close();
  }, [org, env, workspace, user, entity, parameters]);
  return pages;
}
