#!/usr/bin/env bash
# Starts Toolbus on a cluster and does one investigation from outside, with an approval, to its report.
#
#   deploy/k8s/try.sh [rabbitmq|nats|laptop]     the overlay (default: laptop)
#   deploy/k8s/try.sh --delete                   removes the namespace "toolbus" and the volumes that this script made
#
# It needs kubectl with the right to make a namespace, and the image toolbus:local on the nodes (docker build -t toolbus:local . and then, for example,
# "kind load docker-image toolbus:local" or "minikube image load toolbus:local"). The keys and passwords are in .toolbus/kubernetes-OVERLAY, with mode 0600.
#
#   KUBE_APPLY   the command that applies a file (default: kubectl apply -f)
#   KUBE_WAIT    how long to wait for the pods (default: 300s)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd); root=$(cd "$here/../.." && pwd)
apply=${KUBE_APPLY:-kubectl apply -f}; patience=${KUBE_WAIT:-300s}
overlay=${1:-laptop}
say() { printf '\n== %s\n' "$*" >&2; }
fail() { printf 'try.sh: %s\n' "$*" >&2; exit 1; }
kc() { kubectl -n toolbus "$@"; }

command -v kubectl >/dev/null || fail "kubectl is missing: install it, and point KUBECONFIG at a cluster."
kubectl version >/dev/null 2>&1 || fail "no cluster answers: set KUBECONFIG, or start one (kind create cluster)."

if [ "$overlay" = --delete ]; then
  kubectl delete namespace toolbus --ignore-not-found --wait=true
  kubectl delete persistentvolume -l toolbus.dev/made-by=try --ignore-not-found
  exit 0
fi
[ -f "$here/overlays/$overlay/kustomization.yaml" ] || fail "there is no overlay \"$overlay\": use rabbitmq, nats or laptop."
case $overlay in
  rabbitmq) bus=amqp://rabbitmq:5672 ;;
  nats | laptop) bus=nats://nats:4222 ;;
  *) fail "the overlay \"$overlay\" needs servers outside the cluster, so this script cannot try it." ;;
esac

scratch=$(mktemp -d); forwards=()
trap '[ ${#forwards[@]} -eq 0 ] || kill "${forwards[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# Where nothing provisions volumes, each claim gets a folder of the node. A pod opens the folder for the server, because a folder of a node belongs to root.
make_volumes() {
  local class; class=$(kubectl get storageclass -o jsonpath='{range .items[*]}{.metadata.annotations.storageclass\.kubernetes\.io/is-default-class}{"\n"}{end}' 2>/dev/null || true)
  if grep -q true <<<"$class"; then return; fi
  say "Nothing provisions volumes here: making a volume on the node for each server"
  local claim
  for claim in data-redis-0 data-rabbitmq-0 data-nats-0; do
    cat <<YAML
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: toolbus-$claim, labels: { toolbus.dev/made-by: try } }
spec:
  capacity: { storage: 2Gi }
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  claimRef: { namespace: toolbus, name: $claim }
  hostPath: { path: /var/lib/toolbus-try/$claim, type: DirectoryOrCreate }
YAML
  done >"$scratch/volumes.yaml"
  $apply "$scratch/volumes.yaml"
  cat >"$scratch/open.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: { name: toolbus-try-volumes, namespace: default }
spec:
  restartPolicy: Never
  containers:
    - name: open
      image: toolbus:local
      imagePullPolicy: IfNotPresent
      command: [sh, -c, "cd /host && rm -rf data-* && mkdir -p data-redis-0 data-rabbitmq-0 data-nats-0 && chown 999:999 data-redis-0 data-rabbitmq-0 && chown 1000:1000 data-nats-0 && chmod 700 data-*"]
      securityContext: { runAsUser: 0 }
      volumeMounts: [{ name: host, mountPath: /host }]
  volumes: [{ name: host, hostPath: { path: /var/lib/toolbus-try, type: DirectoryOrCreate } }]
YAML
  kubectl -n default delete pod toolbus-try-volumes --ignore-not-found >/dev/null
  $apply "$scratch/open.yaml"
  for _ in $(seq 90); do
    case $(kubectl -n default get pod toolbus-try-volumes -o jsonpath='{.status.phase}') in
      Succeeded) kubectl -n default delete pod toolbus-try-volumes >/dev/null; return ;;
      Failed) kubectl -n default logs toolbus-try-volumes >&2; fail "the folders of the volumes could not be made." ;;
    esac
    sleep 1
  done
  kubectl -n default describe pod toolbus-try-volumes | tail -n 5 >&2
  fail "the pod that makes the folders of the volumes did not run: is the image toolbus:local on the node?"
}

say "Secrets: a login and keys for each service"
data="$root/.toolbus/kubernetes-$overlay"
"$root/toolbus" permissions --kubernetes --bus "$bus" --state redis://redis:6379 --data "$data" >"$scratch/secrets.yaml"
kubectl get namespace toolbus >/dev/null 2>&1 || new=yes
$apply "$here/base/namespace.yaml"
kc apply -f "$scratch/secrets.yaml" >/dev/null
if [ -n "${new:-}" ]; then make_volumes; fi

say "The overlay $overlay"
kubectl kustomize "$here/overlays/$overlay" >"$scratch/overlay.yaml"
kc delete job toolbus-set-up --ignore-not-found >/dev/null
$apply "$scratch/overlay.yaml"

say "Waiting until everything is ready (at most $patience)"
explain() { kc get pods >&2; kc get events --field-selector type=Warning --sort-by=.lastTimestamp 2>/dev/null | tail -n 8 >&2; fail "$1 is not ready after $patience: see kubectl -n toolbus describe pod and kubectl -n toolbus logs."; }
for server in $(kc get statefulset -o name); do kc rollout status "$server" --timeout="$patience" || explain "$server"; done
kc wait --for=condition=complete job/toolbus-set-up --timeout="$patience" || explain "the job toolbus-set-up"
for deployment in $(kc get deployment -o name); do kc rollout status "$deployment" --timeout="$patience" || explain "$deployment"; done
kc get pods

say "An investigation from outside"
forward() { # service port: prints the local port
  kc port-forward "service/$1" ":$2" >"$scratch/$1.port" 2>"$scratch/$1.error" &
  forwards+=($!)
  for _ in $(seq 50); do
    local port; port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\) .*/\1/p' "$scratch/$1.port"); [ -z "$port" ] || { forwarded=$port; return; }
    sleep 0.2
  done
  cat "$scratch/$1.error" >&2; fail "kubectl port-forward to $1 did not start."
}
forward gateway 8080; export TOOLBUS_URL=http://127.0.0.1:$forwarded
forward approvals 8081; export TOOLBUS_APPROVALS_URL=http://127.0.0.1:$forwarded
export TOOLBUS_KEY_FILE="$data/keys/user.key" TOOLBUS_APPROVER_KEY_FILE="$data/keys/approver.key"
"$root/toolbus" investigate 32839529 --timeout 3m >"$scratch/investigation" 2>&1 &
investigation=$!
for _ in $(seq 120); do
  # The id of an approval contains that of its run. Approvals of other runs are not for this script to decide.
  id=$(sed -n 's/^ .*approvals approve \(ap_[^ ]*\).*/\1/p' "$scratch/investigation" | head -n 1)
  if [ -n "$id" ] || ! kill -0 $investigation 2>/dev/null; then break; fi
  sleep 0.5
done
if [ -n "$id" ]; then "$root/toolbus" approvals approve "$id" --yes; fi
wait $investigation && ended=0 || ended=$?
cat "$scratch/investigation"
[ $ended -eq 0 ] || fail "the investigation did not end well (exit code $ended)."
grep -q "(filed as " "$scratch/investigation" || fail "the investigation filed no report: see above."
say "It works. The gateway: kubectl -n toolbus port-forward service/gateway 8080. To remove everything: deploy/k8s/try.sh --delete"
