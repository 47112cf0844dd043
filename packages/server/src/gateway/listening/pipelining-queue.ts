import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface ClientConnection {
  /** The request that is being answered. */
  current: IncomingMessage | undefined;
  isLast: boolean;
  /** Its last answer has left: what a client sent behind that request is no request. */
  isOver: boolean;
  readonly waiting: (() => void)[];
}

const waitingMax = 100;

/**
 * One request of a connection at a time. A client may send several without waiting, but each is only looked at once the
 * answer before it has left, so that a client cannot request hundreds of answers and let them pile up here.
 */
export function createPipeliningQueue() {
  const connections = new WeakMap<Socket, ClientConnection>();
  const connectionOf = (socket: Socket): ClientConnection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: ClientConnection = { current: undefined, isLast: false, isOver: false, waiting: [] };
    connections.set(socket, connection);
    return connection;
  };
  return {
    /** `begin` gives what is to be called once the answer has left, or never will. */
    take: (incoming: IncomingMessage, response: ServerResponse, begin: () => () => void): void => {
      const { socket } = incoming;
      const connection = connectionOf(socket);
      if (connection.isOver) return;
      const turn = (): void => {
        connection.current = incoming;
        const end = begin();
        response.once('close', () => {
          end();
          if (isLastAnswer(response)) connection.isOver = true;
          pass(socket, connection);
        });
      };
      if (connection.current === undefined) turn();
      else if (connection.waiting.push(turn) > waitingMax) socket.destroy();
    },
    /** The request of a connection that is being answered. */
    current: (socket: Socket): IncomingMessage | undefined => connections.get(socket)?.current,
    /**
     * For what is no request: ends the connection after the answer that is under way. False where there is none, or
     * where it is that very request whose rest makes no sense.
     */
    endAfterAnswer: (socket: Socket): boolean => {
      const connection = connections.get(socket);
      if (connection?.current?.complete !== true) return false;
      connection.isLast = true;
      return true;
    },
  };
}

function pass(socket: Socket, connection: ClientConnection): void {
  connection.current = undefined;
  if (socket.destroyed || connection.isOver) connection.waiting.length = 0;
  const next = connection.waiting.shift();
  if (next !== undefined) next();
  else if (connection.isLast) socket.destroySoon();
}

/** Whether either side said that it ends the connection with this answer. */
function isLastAnswer(response: ServerResponse): boolean {
  return !response.shouldKeepAlive || response.getHeader('Connection') === 'close';
}
