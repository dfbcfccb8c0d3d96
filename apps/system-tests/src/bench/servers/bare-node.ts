// The least a redirect can cost on this machine: Node's http server, a Map, a 302. `node bare-node.js <port> <links>`
import { createServer } from 'node:http';

const [port, links] = process.argv.slice(2).map(Number);
const targets = new Map(
  Array.from({ length: links ?? 0 }, (_, index) => [`/bench-${index}`, `https://example.com/page/${index}`]),
);

createServer((request, response) => {
  const target = targets.get(request.url ?? '');
  if (target === undefined) response.writeHead(404).end();
  else response.writeHead(302, { location: target, 'cache-control': 'private, no-store' }).end();
}).listen(port, '127.0.0.1', () => process.send?.('listening'));
