/** A mail server on this machine, as far as a delivery goes (RFC 5321), that keeps what it gets. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SmtpServer {
  /** Where it is reached. */
  readonly host: string;
  readonly deliveries: readonly Delivery[];
  /** Every line that clients have said before the text of a mail. */
  readonly logged: readonly string[];
  /** Resolves when so many mails have come. */
  delivered(count: number): Promise<void>;
  close(): void;
}

export interface Delivery {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, head and body. */
  readonly message: string;
}

export interface SmtpServerOptions {
  /** What each recipient is answered. */
  readonly toRecipients?: (address: string) => string | Promise<string>;
}

export async function startSmtpServer({
  toRecipients = () => '250 fine',
}: SmtpServerOptions = {}): Promise<SmtpServer> {
  const deliveries: Delivery[] = [];
  const logged: string[] = [];
  const sockets = new Set<Socket>();
  let wake = (): void => undefined;
  const server = createServer((socket) => {
    sockets.add(socket.setEncoding('utf8'));
    const answer = (line: string): void => void socket.write(`${line}\r\n`);
    let [from, to]: [string, string[]] = ['', []];
    let pending = '';
    let isText = false;
    const take = (line: string): void => {
      logged.push(line);
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') from = addressIn(line);
      if (verb === 'RCPT') to.push(addressIn(line));
      if (verb === 'DATA') isText = true;
      if (verb === 'RCPT') void Promise.resolve(toRecipients(addressIn(line))).then(answer);
      else answer(answers[verb] ?? '250 fine');
    };
    socket
      .on('error', () => undefined)
      .on('data', (chunk: string) => {
        pending += chunk;
        for (;;) {
          const end = pending.indexOf(isText ? '\r\n.\r\n' : '\r\n');
          if (end < 0) return;
          const text = pending.slice(0, end);
          pending = pending.slice(end + (isText ? 5 : 2));
          if (!isText) take(text);
          else {
            isText = false;
            deliveries.push({ from, to, message: text });
            [from, to] = ['', []];
            answer('250 taken');
            wake();
          }
        }
      });
    answer('220 here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    logged,
    delivered: (count) =>
      new Promise((resolve) => {
        wake = () => (deliveries.length >= count ? resolve() : undefined);
        wake();
      }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const answers: Readonly<Record<string, string>> = {
  EHLO: '250-here\r\n250 AUTH PLAIN',
  AUTH: '235 welcome',
  DATA: '354 go on',
};

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? '';
}
