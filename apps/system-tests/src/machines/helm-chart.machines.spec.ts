import { STATISTICS_GROUP, VISITS_TOPIC } from '@hopcount/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';

import {
  type ChartCase,
  type KubernetesObject,
  moduleOf,
  refusedSettings,
  renderChart,
  type Rendered,
  typeErrors,
} from '../harness/helm-chart.js';

const EVERYTHING = {
  image: { repository: 'registry.example/hopcount', tag: '0.2.0', pullSecrets: [{ name: 'registry' }] },
  secret: {
    name: 'stores',
    optionalKeys: ['HOPCOUNT_OTHER_SECRET', 'HOPCOUNT_HASH_SECRET'],
    databaseReadUrlKey: 'READ',
  },
  archive: { url: 's3://visits/archive' },
  smtp: { from: 'Hopcount <hopcount@example.com>', urlKey: 'MAIL' },
  gateway: {
    kind: 'Rollout',
    spool: { hostPath: '/var/lib/hopcount/spool' },
    adoptClaims: ['spool-everything-hopcount-gateway-7'],
    autoscaling: { enabled: true },
    env: { TRUSTED_PROXIES: '10.0.0.0/8', RATE_LIMIT_REDIRECTS: true },
    service: { type: 'LoadBalancer', annotations: { a: 'b' } },
    scheduling: { nodeSelector: { pool: 'edge' }, tolerations: [{ key: 'edge', operator: 'Exists' }] },
  },
  consumer: { keda: { enabled: true } },
  ingress: { enabled: true, className: 'nginx', gatewayHosts: ['s.example'], apiHost: 'api.example', tlsSecret: 'tls' },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  alerts: {
    enabled: true,
    slack: { urlKey: 'SLACK_URL', channel: '#ops' },
    email: { to: 'ops@example.com', from: 'hopcount@example.com', smarthost: 'mail.example:587' },
    webhook: { urlKey: 'WEBHOOK_URL' },
  },
  networkPolicies: { egress: [{ ports: [{ port: 9092 }] }] },
  podAnnotations: { a: 'b' },
};
const SECURED = {
  secret: {
    optionalKeys: ['REDIS_URL'],
    databaseUrlKey: 'APPLICATION_URL',
    migrationDatabaseUrlKey: 'MIGRATION_URL',
    consumerDatabaseUrlKey: 'CONSUMER_URL',
  },
  kafka: { brokers: ['a.example:9093', 'b.example:9093'], tls: true, sasl: 'scram-sha-512' },
  caSecret: 'private-authority',
  archive: { url: 'file:///var/lib/hopcount/archive', existingClaim: 'archive' },
  consumer: { keda: { enabled: true } },
};
const CASES: ChartCase[] = [
  { name: 'minimal', values: {} },
  { name: 'everything', values: EVERYTHING, isUpgrade: true },
  { name: 'secured', values: SECURED },
];
const WRONG: ChartCase[] = [
  { name: 'misspelt', values: { gateway: { replica: 4 } } },
  { name: 'claimless', values: { gateway: { kind: 'Rollout' } } },
  { name: 'login', values: { kafka: { sasl: 'gssapi' } } },
  { name: 'drain', values: { gateway: { drainMs: 60_000 } } },
  { name: 'senderless', values: { alerts: { enabled: true, email: { to: 'ops@example.com' } } } },
];
/** Of what a Secret holds, and of a pod's name. */
const SAMPLES: Record<string, string> = {
  DATABASE_URL: 'postgres://hopcount:x@postgres:5432/hopcount',
  DATABASE_READ_URL: 'postgres://hopcount:x@standby:5432/hopcount',
  SMTP_URL: 'smtp://hopcount:x@mail.example:587',
  REDIS_URL: 'rediss+cluster://a:6379,b:6379',
  PROCESS_NAME: 'hopcount-gateway-0',
};
/** Read by Node itself. */
const OF_NODE = 'NODE_EXTRA_CA_CERTS';

interface Container {
  name: string;
  image: string;
  args?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: Record<string, unknown>;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes: { name: string }[];
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
}
interface Workload extends KubernetesObject {
  spec: { template: { spec: PodSpec }; volumeClaimTemplates?: { metadata: { name: string } }[] };
}

let rendered: Map<string, Rendered>;
const objectsOf = (name: string) => rendered.get(name)?.objects ?? [];
const isWorkload = (object: KubernetesObject): object is Workload =>
  object.spec !== undefined && 'template' in object.spec;
const workloads = () => CASES.flatMap(({ name }) => objectsOf(name).filter(isWorkload));
const find = (name: string, kind: string, end: string) =>
  objectsOf(name).find((object) => object.kind === kind && object.metadata.name.endsWith(end));
const envOf = ({ env }: Container) =>
  Object.fromEntries(
    env.map(({ name, value }) => [name, value ?? SAMPLES[name] ?? 'a secret that is long enough to be one']),
  );

describe('the Helm chart', () => {
  beforeAll(() => {
    rendered = new Map(renderChart([...CASES, ...WRONG]).map((one) => [one.name, one]));
  }, 1_300_000);

  it('renders with few values, with everything, and for secured stores', () => {
    for (const { name } of CASES) expect([name, rendered.get(name)?.error]).toEqual([name, '']);
    const kinds = (name: string) => new Set(objectsOf(name).map(({ kind }) => kind));
    expect([...kinds('minimal')].sort()).toEqual([
      ...['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
      ...['ServiceAccount', 'StatefulSet'],
    ]);
    for (const kind of [
      ...[
        'AlertmanagerConfig',
        'AnalysisTemplate',
        'HorizontalPodAutoscaler',
        'Ingress',
        'PodMonitor',
        'Rollout',
        'ScaledObject',
      ],
    ]) {
      expect(kinds('everything')).toContain(kind);
    }
    expect(kinds('secured')).toContain('TriggerAuthentication');
    expect(rendered.get('minimal')?.notes).toContain('api and dashboard at');
  });

  it('refuses values it does not have, or cannot do', () => {
    expect(rendered.get('misspelt')?.error).toMatch(/replica/);
    expect(rendered.get('claimless')?.error).toContain('hostPath');
    expect(rendered.get('login')?.error).toMatch(/sasl/);
    expect(rendered.get('drain')?.error).toMatch(/drainMs/);
    expect(rendered.get('senderless')?.error).toContain('alerts.email.from');
  });

  it('tells Slack, e-mail and a webhook of alerts, by addresses that are in a Secret', () => {
    const { receivers } = find('everything', 'AlertmanagerConfig', '')?.spec as { receivers: object[] };
    const secret = (key: string) => ({ name: 'hopcount-alerts', key });
    const told = {
      slackConfigs: [
        expect.objectContaining({
          apiURL: secret('SLACK_URL'),
          channel: '#ops',
          title: '[{{ .Status | toUpper }}] {{ .CommonLabels.alertname }}',
        }),
      ],
      emailConfigs: [expect.objectContaining({ to: 'ops@example.com', smarthost: 'mail.example:587' })],
      webhookConfigs: [{ urlSecret: secret('WEBHOOK_URL'), sendResolved: true }],
    };
    expect(receivers).toEqual(['pages', 'warnings'].map((name) => ({ name, ...told })));
    expect(find('minimal', 'AlertmanagerConfig', '')).toBeUndefined();
  });

  it('makes objects that Kubernetes, KEDA, Argo Rollouts and the Prometheus operator know, to the last field', async () => {
    const objects = CASES.flatMap(({ name }) => objectsOf(name));
    expect(typeErrors(objects)).toEqual([]);
    for (const object of objects) {
      const models = (await import(moduleOf(object))) as Record<string, new (data: object) => { validate(): void }>;
      const Model = models[object.kind];
      if (Model === undefined) throw new Error(`no model of ${object.kind}`);
      expect(() => new Model(object).validate()).not.toThrow();
    }
  });

  it.each([
    ['StatefulSet', (spec: PodSpec) => Object.assign(spec.containers[0] ?? {}, { readOnly: true })],
    ['Deployment', (spec: PodSpec) => Object.assign(spec.containers[0] ?? {}, { env: [{ name: 'A', value: 5 }] })],
    ['Job', (spec: PodSpec) => Object.assign(spec, { restartPolicies: 'Never' })],
  ])('a wrong field of a %s is noticed', (kind, spoil) => {
    const object = structuredClone(objectsOf('minimal').find((one) => one.kind === kind)) as Workload;
    spoil(object.spec.template.spec);
    expect(typeErrors([object])).toEqual([expect.stringContaining(kind)]);
  });

  it('a wrong field of a KEDA, Argo or Prometheus object is noticed', () => {
    for (const kind of ['ScaledObject', 'Rollout', 'PodMonitor', 'AnalysisTemplate', 'AlertmanagerConfig']) {
      const object = structuredClone(objectsOf('everything').find((one) => one.kind === kind));
      Object.assign(object?.spec ?? {}, { noSuchField: 1 });
      expect(typeErrors(object === undefined ? [] : [object])).toEqual([expect.stringContaining(kind)]);
    }
  });

  it('sets only what the apps know, to values they take', () => {
    for (const { spec, metadata } of workloads()) {
      const { containers, initContainers = [] } = spec.template.spec;
      for (const container of [...containers, ...initContainers]) {
        const app = /hopcount-(\w+):/.exec(container.image)?.[1] ?? '';
        const { [OF_NODE]: authority, HOPCOUNT_OPERATOR, HOPCOUNT_DATA_DIR, ...env } = envOf(container);
        expect([metadata.name, authority ?? '/etc/hopcount/ca/ca.crt']).toEqual([
          metadata.name,
          '/etc/hopcount/ca/ca.crt',
        ]);
        // The CLI's own two are read before its schema; the others are those of all.
        const isOperator = HOPCOUNT_OPERATOR !== undefined && HOPCOUNT_DATA_DIR === '/tmp';
        expect([app, isOperator]).toEqual([app, app === 'cli']);
        expect([metadata.name, refusedSettings(app === 'cli' ? 'worker' : app, env)]).toEqual([metadata.name, []]);
      }
    }
    const wrong = refusedSettings('gateway', { GATEWAY_PORTS: '80', DRAIN_MS: '60000' });
    expect(wrong).toContain('GATEWAY_PORTS: no such setting');
    expect(wrong).toContainEqual(expect.stringMatching(/^DRAIN_MS/));
  });

  it('connects each process with the database URL that its role has, and migrations with theirs', () => {
    const keysOf = (name: string) =>
      Object.fromEntries(
        objectsOf(name)
          .filter(isWorkload)
          .flatMap(({ spec: { template } }) => [...template.spec.containers, ...(template.spec.initContainers ?? [])])
          .map((container) => {
            const url = container.env.find((one) => one.name === 'DATABASE_URL')?.valueFrom?.secretKeyRef;
            return [container.name, url?.key];
          }),
      );
    const application = 'APPLICATION_URL';
    const processes = { gateway: application, worker: application, api: application, topics: application };
    expect(keysOf('secured')).toEqual({ ...processes, migrate: 'MIGRATION_URL', consumer: 'CONSUMER_URL' });
    expect(new Set(Object.values(keysOf('minimal')))).toEqual(new Set(['DATABASE_URL']));
  });

  it('names the ports that the apps listen on, and asks the operations port how they are', () => {
    for (const { spec } of workloads()) {
      for (const container of spec.template.spec.containers.filter(({ ports }) => ports !== undefined)) {
        const env = envOf(container);
        const wanted = { http: env['GATEWAY_PORT'] ?? env['API_PORT'], ops: env['OPS_PORT'] };
        for (const { name, containerPort } of container.ports ?? []) {
          expect([name, String(containerPort)]).toEqual([name, wanted[name as keyof typeof wanted]]);
        }
        expect(container['livenessProbe']?.httpGet).toEqual({ path: '/livez', port: 'ops' });
        expect(container['readinessProbe']?.httpGet).toEqual({ path: '/readyz', port: 'ops' });
      }
    }
  });

  it('runs nothing as root, on a root it may write, or with a token, and gives each time to end', () => {
    for (const { spec, kind } of workloads()) {
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      });
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
      const volumes = [...pod.volumes.map(({ name }) => name), ...claims];
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        for (const mount of container.volumeMounts) expect(volumes).toContain(mount.name);
        if (kind === 'Job') continue;
        // preStop, then DRAIN_MS, then what SIGTERM takes at most: 15 s.
        const drainSeconds = Number(envOf(container)['DRAIN_MS'] ?? 0) / 1_000;
        const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + drainSeconds + 15);
      }
    }
  });

  it('keeps spools when pods go, and gives the claim of one that never returns to a gateway without visitors', () => {
    expect(find('minimal', 'StatefulSet', 'gateway')?.spec).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    const adopter = objectsOf('everything').find(({ metadata }) => metadata.name.includes('-adopter-')) as Workload;
    expect(adopter.spec.template.spec.volumes).toContainEqual({
      name: 'spool',
      persistentVolumeClaim: { claimName: 'spool-everything-hopcount-gateway-7' },
    });
    expect(adopter.metadata.labels?.['app.kubernetes.io/component']).not.toBe('gateway');
    const service = find('everything', 'Service', '-gateway');
    expect(service?.spec?.['selector']).toMatchObject({ 'app.kubernetes.io/component': 'gateway' });
  });

  it('scales consumers by what they have not counted yet', () => {
    const triggers = (name: string) => find(name, 'ScaledObject', 'consumer')?.spec?.['triggers'];
    const wanted = { consumerGroup: STATISTICS_GROUP, topic: VISITS_TOPIC };
    expect(triggers('everything')).toEqual([{ type: 'kafka', metadata: expect.objectContaining(wanted) }]);
    expect(triggers('secured')).toEqual([
      {
        type: 'kafka',
        metadata: expect.objectContaining({ ...wanted, tls: 'enable', sasl: 'scram_sha512' }),
        authenticationRef: { name: 'secured-hopcount-kafka' },
      },
    ]);
    // Two masters of the number of replicas would undo each other.
    expect(find('everything', 'Deployment', 'consumer')?.spec).not.toHaveProperty('replicas');
    expect(find('everything', 'Rollout', 'gateway')?.spec).not.toHaveProperty('replicas');
  });

  it('migrates before anything is changed, after the upgrade check; a canary goes by 10 %, an hour, all', () => {
    const migrate = find('everything', 'Job', 'migrate') as Workload;
    expect(migrate.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(migrate.spec.template.spec.initContainers?.[0]?.args).toEqual(['upgrade', 'check']);
    expect((find('minimal', 'Job', 'migrate') as Workload).spec.template.spec.initContainers).toBeUndefined();
    expect(find('everything', 'Rollout', 'gateway')?.spec).toMatchObject({
      strategy: { canary: { steps: [{ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 100 }] } },
    });
    const analysis = JSON.stringify(find('everything', 'AnalysisTemplate', 'canary'));
    expect(analysis).toContain('"rollout","judge","--canary","0.2.0"');
  });
});
