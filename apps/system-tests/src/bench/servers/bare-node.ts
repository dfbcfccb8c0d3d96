// The least a redirect can cost on this machine: Node's http server, a Map, a 302. With `lateMs` it holds its answers for so
// long and sends all it holds at once, as a server does that makes visits durable in batches before it answers.
// `node bare-node.js <port> <links> [lateMs]`
import { createServer } from 'node:http';

const [port, links, lateMs = 0] = process.argv.slice(2).map(Number);
const targets = new Map(
  Array.from({ length: links ?? 0 }, (_, index) => [`/bench-${index}`, `https://example.com/page/${index}`]),
);
let held: (() => void)[] = [];

createServer((request, response) => {
  const answer = () => {
    const target = targets.get(request.url ?? '');
    if (target === undefined) response.writeHead(404).end();
    else response.writeHead(302, { location: target, 'cache-control': 'private, no-store' }).end();
  };
  if (lateMs === 0) return answer();
  if (held.push(answer) === 1) setTimeout(answerAll, lateMs);
}).listen(port, '127.0.0.1', () => process.send?.('listening'));

function answerAll(): void {
  const answers = held;
  held = [];
  for (const answer of answers) answer();
}
