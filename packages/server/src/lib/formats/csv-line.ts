/** One line of CSV (RFC 4180) with its end. What a program might trim or misread is quoted; nothing is changed. */
export function csvLine(cells: readonly string[]): string {
  // A line with nothing on it would be no line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const needsQuotes = /[",\r\n]|^\s|\s$/;
