import { openRegistry } from '/tmp/w/byid/src/registry/registry.js'
const r = openRegistry('/tmp/byid/all.sqlite')
const ask=(n:string)=>r.resolve({name:n,location:null,context:null})
const L:any={lei:'LEI',cik:'CIK',registration_id:'company number'}
for(const t of ['registration_id','lei','cik']){
const all:any[]=r.database.prepare("SELECT DISTINCT i.value, upper(substr(i.jurisdiction,1,2)) c, l.legal_name n,e.id FROM identifiers i JOIN legal_entities l ON l.number=i.legal_entity_number JOIN entities e ON e.number=l.entity_number WHERE i.type=? ORDER BY i.value").all(t)
let k=0,w=0,q=0;for(const x of all)for(const v of [x.value,x.value.replace(/^([A-Z]*)0+(?=\d)/,'$1'),x.value.replace(/[\s./-]/g,''),x.value.toLowerCase()].slice(0,t==='registration_id'?4:1)){ q++;const a=ask(`${L[t]} ${x.c} ${v}`.replace('  ',' ')); const ok=a.entity?.id===x.id&&a.match_confidence===99||(a.candidate?.legal_name===x.n&&a.match_confidence===99); if(a.entity&&a.entity.id!==x.id)w++; if(!ok&&k++<30)console.log(x.value,'|',v,x.n,'=>',a.status,a.match_confidence,a.entity?.legal_name??a.candidate?.legal_name)} console.log(t,'asked',q,'not',k,'wrong',w,all.length)}
