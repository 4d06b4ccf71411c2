$PROBLEM {{study}}
; {{mark}}. Widmark's model, first-order absorption; time in h, AMT in g,
; DV in {{unit}}.
{{names of control}}$INPUT {{input}}
$DATA {{table}} IGNORE=@
$SUBROUTINES ADVAN13 TOL=9
$MODEL COMP=(GUT) COMP=(BODY)
$PK
KA = THETA(1)*EXP(ETA(1))
BETA = THETA(2)*EXP(ETA(2))
R = THETA(3)*EXP(ETA(3))
V = R*WT
$DES
CONC = A(2)/V
DADT(1) = -KA*A(1)
DADT(2) = KA*A(1) - BETA*V*CONC/(CONC + 0.001)
$ERROR
IPRED = A(2)/V/{{factor}}
SD = THETA(4)
{{error}}
$THETA (0, 6) ; k_a in 1/h
$THETA (0, 0.15) ; beta in g/kg/h
$THETA (0, 0.7) ; r in kg/kg
$THETA (0, {{sd}}) ; SD in {{unit}}
$OMEGA 0.1 0.1 0.01
$SIGMA 1 FIX
$ESTIMATION METHOD=1 {{method}} MAXEVAL=9999
