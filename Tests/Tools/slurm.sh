#!/bin/bash
# Runs Examples/slurm on a Slurm of one node that it starts itself, in a temporary folder, and compares the rows with
# those of one run over all subjects.
#
#     Tests/Tools/slurm.sh .build/release/promille
#
# Needs slurm-wlm and munge (Debian's packages), and root, for slurmd and munged. Ends the daemons that it started.
set -eu -o pipefail
export PROMILLE=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../../Examples/slurm")
work=$(mktemp -d)
chmod 755 "$work"
daemons=()
trap 'for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT

host=$(hostname -s)
export SLURM_CONF=$work/slurm.conf
mkdir "$work/state" "$work/spool" "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 700 "$work/munge"
chmod 600 "$work/munge/key"
socket=$work/munge.socket
cat >"$SLURM_CONF" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
munged --foreground --force --key-file="$work/munge/key" --socket="$socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munge/seed" >/dev/null 2>&1 &
daemons+=($!)
for _ in $(seq 50); do [ -S "$socket" ] && break; sleep 0.1; done
slurmctld -D >/dev/null 2>&1 &
daemons+=($!)
slurmd -D -N "$host" >/dev/null 2>&1 &
daemons+=($!)
for _ in $(seq 100); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.2; done
sinfo || { tail "$work"/*.log; exit 1; }

cd "$work"
"$PROMILLE" simulate --cohort 100 --seed 5 -o cohort >/dev/null
code=0
"$PROMILLE" fit cohort --estimate ka,beta,r --quiet -o whole.csv || code=$?
[ "$code" -le 1 ]
fit=$(sbatch --parsable --array=1-5 "$examples/fit.sbatch" cohort fits --estimate ka,beta,r --quiet)
join="awk 'FNR > 1 || NR == 1' fits/part-*.csv >fits.csv"
sbatch --wait --dependency="afterok:$fit" --kill-on-invalid-dep=yes --wrap="$join"
cmp <(sort whole.csv) <(sort fits.csv)
echo "ok an array of 5 jobs, joined: the rows of one run over all ($(wc -l <whole.csv) lines)"

rm fits/part-3.csv fits.csv
PARTS=5 sbatch --wait --array=3 "$examples/fit.sbatch" cohort fits --estimate ka,beta,r --quiet
sbatch --wait --wrap="$join"
cmp <(sort whole.csv) <(sort fits.csv)
echo "ok a part that was lost is made again alone"
