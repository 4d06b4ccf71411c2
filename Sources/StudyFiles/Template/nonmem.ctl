$PROBLEM {{study}}
; {{mark}}. {{model}}, first-order absorption; time in h, AMT in g,
; DV in {{unit}}.
{{names of control}}$INPUT {{input}}
$DATA {{table}} IGNORE=@
{{prior}}$SUBROUTINES ADVAN13 TOL=9
$MODEL COMP=(GUT) COMP=(BODY)
$PK
{{pk}}
V = R*WT
$DES
CONC = A(2)/V
DADT(1) = -KA*A(1)
DADT(2) = KA*A(1) - {{elimination}}
$ERROR
IPRED = A(2)/V/{{factor}}
SD = {{deviation}}
{{error}}
{{thetas}}
{{omegas}}
$SIGMA 1 FIX
$ESTIMATION METHOD=1 {{method}} MAXEVAL=9999{{prior values}}
