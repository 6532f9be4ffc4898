/**
 * Titles of four-digit codes of the Standard Industrial Classification: those of 1987, of their groups (3530 is group 353)
 * and of the SEC. Where these differ, the SEC's wording is taken.
 */
export const sicTitles = `
0100 Agricultural production: crops | 0110 Cash grains | 0111 Wheat | 0112 Rice | 0115 Corn | 0116 Soybeans
0119 Cash grains, not elsewhere classified | 0130 Field crops, except cash grains | 0131 Cotton | 0132 Tobacco
0133 Sugarcane and sugar beets | 0134 Irish potatoes
0139 Field crops, except cash grains, not elsewhere classified | 0160 Vegetables and melons
0161 Vegetables and melons | 0170 Fruits and tree nuts | 0171 Berry crops | 0172 Grapes | 0173 Tree nuts
0174 Citrus fruits | 0175 Deciduous tree fruits | 0179 Fruits and tree nuts, not elsewhere classified
0180 Horticultural specialties | 0181 Ornamental floriculture and nursery products
0182 Food crops grown under cover | 0190 General farms, primarily crop | 0191 General farms, primarily crop
0200 Agricultural production: livestock and animal specialties | 0210 Livestock, except dairy and poultry
0211 Beef cattle feedlots | 0212 Beef cattle, except feedlots | 0213 Hogs | 0214 Sheep and goats
0219 General livestock, except dairy and poultry | 0240 Dairy farms | 0241 Dairy farms | 0250 Poultry and eggs
0251 Broiler, fryer and roaster chickens | 0252 Chicken eggs | 0253 Turkeys and turkey eggs
0254 Poultry hatcheries | 0259 Poultry and eggs, not elsewhere classified | 0270 Animal specialties
0271 Fur-bearing animals and rabbits | 0272 Horses and other equines | 0273 Animal aquaculture
0279 Animal specialties, not elsewhere classified | 0290 General farms, primarily livestock and animal
0291 General farms, primarily livestock and animal specialties | 0700 Agricultural services
0710 Soil preparation services | 0711 Soil preparation services | 0720 Crop services
0721 Crop planting, cultivating and protecting | 0722 Crop harvesting, primarily by machine
0723 Crop preparation services for market, except cotton ginning | 0724 Cotton ginning | 0740 Veterinary services
0741 Veterinary services for livestock | 0742 Veterinary services for animal specialties
0750 Animal services, except veterinary | 0751 Livestock services, except veterinary
0752 Animal specialty services, except veterinary | 0760 Farm labor and management services
0761 Farm labor contractors and crew leaders | 0762 Farm management services
0780 Landscape and horticultural services | 0781 Landscape counseling and planning | 0782 Lawn and garden services
0783 Ornamental shrub and tree services | 0800 Forestry | 0810 Timber tracts | 0811 Timber tracts
0830 Forest nurseries and gathering of forest products | 0831 Forest nurseries and gathering of forest products
0850 Forestry services | 0851 Forestry services | 0900 Fishing hunting and trapping | 0910 Commercial fishing
0912 Finfish | 0913 Shellfish | 0919 Miscellaneous marine products | 0920 Fish hatcheries and preserves
0921 Fish hatcheries and preserves | 0970 Hunting and trapping and game propagation
0971 Hunting and trapping and game propagation | 1000 Metal mining | 1010 Iron ores | 1011 Iron ores
1020 Copper ores | 1021 Copper ores | 1030 Lead and zinc ores | 1031 Lead and zinc ores | 1040 Gold and silver ores
1041 Gold ores | 1044 Silver ores | 1060 Ferroalloy ores, except vanadium | 1061 Ferroalloy ores, except vanadium
1080 Metal mining services | 1081 Metal mining services | 1090 Miscellaneous metal ores
1094 Uranium-radium-vanadium ores | 1099 Miscellaneous metal ores, not elsewhere classified | 1200 Coal mining
1220 Bituminous coal and lignite mining | 1221 Bituminous coal and lignite surface mining
1222 Bituminous coal underground mining | 1230 Anthracite mining | 1231 Anthracite mining
1240 Coal mining services | 1241 Coal mining services | 1300 Oil and gas extraction
1310 Crude petroleum and natural gas | 1311 Crude petroleum and natural gas | 1320 Natural gas liquids
1321 Natural gas liquids | 1380 Oil and gas field services | 1381 Drilling oil and gas wells
1382 Oil and gas field exploration services | 1389 Oil and gas field services
1400 Mining and quarrying of nonmetallic minerals, except fuels | 1410 Dimension stone | 1411 Dimension stone
1420 Crushed and broken stone, including riprap | 1422 Crushed and broken limestone
1423 Crushed and broken granite | 1429 Crushed and broken stone, not elsewhere classified | 1440 Sand and gravel
1442 Construction sand and gravel | 1446 Industrial sand | 1450 Clay, ceramic and refractory minerals
1455 Kaolin and ball clay | 1459 Clay, ceramic and refractory minerals, not elsewhere classified
1470 Chemical and fertilizer mineral mining | 1474 Potash, soda and borate minerals | 1475 Phosphate rock
1479 Chemical and fertilizer mineral mining, not elsewhere classified
1480 Nonmetallic minerals services, except fuels | 1481 Nonmetallic minerals services, except fuels
1490 Miscellaneous nonmetallic minerals, except fuels | 1499 Miscellaneous nonmetallic minerals, except fuels
1500 Building construction general contractors and operative builders
1520 General building contractors: residential buildings | 1521 General contractors-single-family houses
1522 General contractors-residential buildings, other than single-family | 1530 Operative builders
1531 Operative builders | 1540 General building contractors: nonresidential buildings
1541 General contractors-industrial buildings and warehouses
1542 General contractors-nonresidential buildings, other than industrial buildings and warehouses
1600 Heavy construction other than building construction: contractors
1610 Highway and street construction, except elevated highways
1611 Highway and street construction, except elevated highways | 1620 Heavy construction, except highway and street
1622 Bridge, tunnel and elevated highway construction
1623 Water, sewer, pipeline and communications and power line construction
1629 Heavy construction, not elsewhere classified | 1700 Construction: special trade contractors
1710 Plumbing, heating and air-conditioning | 1711 Plumbing, heating and air-conditioning
1720 Painting and paper hanging | 1721 Painting and paper hanging | 1730 Electrical work | 1731 Electrical work
1740 Masonry, stonework, tile setting and plastering | 1741 Masonry, stone setting and other stone work
1742 Plastering, drywall, acoustical and insulation work | 1743 Terrazzo, tile, marble and mosaic work
1750 Carpentry and floor work | 1751 Carpentry work
1752 Floor laying and other floor work, not elsewhere classified | 1760 Roofing, siding and sheet metal work
1761 Roofing, siding and sheet metal work | 1770 Concrete work | 1771 Concrete work | 1780 Water well drilling
1781 Water well drilling | 1790 Miscellaneous special trade contractors | 1791 Structural steel erection
1793 Glass and glazing work | 1794 Excavation work | 1795 Wrecking and demolition work
1796 Installation or erection of building equipment, not elsewhere classified
1799 Special trade contractors, not elsewhere classified | 2000 Food and kindred products | 2010 Meat products
2011 Meat packing plants | 2013 Sausages and other prepared meat products | 2015 Poultry slaughtering and processing
2020 Dairy products | 2021 Creamery butter | 2022 Natural, processed and imitation cheese
2023 Dry, condensed and evaporated dairy products | 2024 Ice cream and frozen desserts | 2026 Fluid milk
2030 Canned, frozen and preserved fruit, vegetables and food specialties | 2032 Canned specialties
2033 Canned fruits, vegetables, preserves, jams and jellies
2034 Dried and dehydrated fruits, vegetables and soup mixes
2035 Pickled fruits and vegetables, vegetable sauces and seasonings and salad dressings
2037 Frozen fruits, fruit juices and vegetables | 2038 Frozen specialties, not elsewhere classified
2040 Grain mill products | 2041 Flour and other grain mill products | 2043 Cereal breakfast foods
2044 Rice milling | 2045 Prepared flour mixes and doughs | 2046 Wet corn milling | 2047 Dog and cat food
2048 Prepared feed and feed ingredients for animals and fowls, except dogs and cats | 2050 Bakery products
2051 Bread and other bakery products, except cookies and crackers | 2052 Cookies and crackers
2053 Frozen bakery products, except bread | 2060 Sugar and confectionery products | 2061 Cane sugar, except refining
2062 Cane sugar refining | 2063 Beet sugar | 2064 Candy and other confectionery products
2066 Chocolate and cocoa products | 2067 Chewing gum | 2068 Salted and roasted nuts and seeds | 2070 Fats and oils
2074 Cottonseed oil mills | 2075 Soybean oil mills | 2076 Vegetable oil mills, except corn, cottonseed and soybean
2077 Animal and marine fats and oils
2079 Shortening, table oils, margarine and other edible fats and oils, not elsewhere classified | 2080 Beverages
2082 Malt beverages | 2083 Malt | 2084 Wines, brandy and brandy spirits | 2085 Distilled and blended liquors
2086 Bottled and canned soft drinks and carbonated waters
2087 Flavoring extracts and flavoring syrups, not elsewhere classified
2090 Miscellaneous food preparations and kindred products | 2091 Canned and cured fish and seafoods
2092 Prepared fresh or frozen fish and seafoods | 2095 Roasted coffee
2096 Potato chips, corn chips and similar snacks | 2097 Manufactured ice
2098 Macaroni, spaghetti, vermicelli and noodles | 2099 Food preparations, not elsewhere classified
2100 Tobacco products | 2110 Cigarettes | 2111 Cigarettes | 2120 Cigars | 2121 Cigars
2130 Chewing and smoking tobacco and snuff | 2131 Chewing and smoking tobacco and snuff
2140 Tobacco stemming and redrying | 2141 Tobacco stemming and redrying | 2200 Textile mill products
2210 Broadwoven fabric mills, cotton | 2211 Broadwoven fabric mills, cotton
2220 Broadwoven fabric mills, manmade fiber and silk | 2221 Broadwoven fabric mills, man made fiber and silk
2230 Broadwoven fabric mills, wool (including dyeing and finishing)
2231 Broadwoven fabric mills, wool (including dyeing and finishing)
2240 Narrow fabric and other smallwares mills, cotton, wool, silk and manmade fiber
2241 Narrow fabric and other smallware mills: cotton, wool, silk and manmade fiber | 2250 Knitting mills
2251 Women's full-length and knee-length hosiery, except socks | 2252 Hosiery, not elsewhere classified
2253 Knit outerwear mills | 2254 Knit underwear and nightwear mills | 2257 Weft knit fabric mills
2258 Lace and warp knit fabric mills | 2259 Knitting mills, not elsewhere classified
2260 Dyeing and finishing textiles, except wool fabrics | 2261 Finishers of broadwoven fabrics of cotton
2262 Finishers of broadwoven fabrics of manmade fiber and silk
2269 Finishers of textiles, not elsewhere classified | 2270 Carpets and rugs | 2273 Carpets and rugs
2280 Yarn and thread mills | 2281 Yarn spinning mills | 2282 Yarn texturizing, throwing, twisting and winding mills
2284 Thread mills | 2290 Miscellaneous textile goods | 2295 Coated fabrics, not rubberized
2296 Tire cord and fabrics | 2297 Non-woven fabrics | 2298 Cordage and twine
2299 Textile goods, not elsewhere classified | 2300 Apparel and other finished products of fabrics
2310 Men's and boys' suits, coats and overcoats | 2311 Men's and boys' suits, coats and overcoats
2320 Men's and boys' furnishings, work clothing and allied garments
2321 Men's and boys' shirts, except work shirts | 2322 Men's and boys' underwear and nightwear
2323 Men's and boys' neckwear | 2325 Men's and boys' separate trousers and slacks
2326 Men's and boys' work clothing | 2329 Men's and boys' clothing, not elsewhere classified
2330 Women's, misses' and juniors' outerwear | 2331 Women's, misses' and juniors' blouses and shirts
2335 Women's, misses' and juniors' dresses | 2337 Women's, misses' and juniors' suits, skirts and coats
2339 Women's, misses' and juniors' outerwear, not elsewhere classified
2340 Women's, misses', children's and infants' undergarments
2341 Women's, misses', children's and infants' underwear and nightwear
2342 Brassieres, girdles and allied garments | 2350 Hats, caps and millinery | 2353 Hats, caps and millinery
2360 Girls', children's and infants' outerwear | 2361 Girls', children's and infants' dresses, blouses and shirts
2369 Girls', children's and infants' outerwear, not elsewhere classified | 2370 Fur goods | 2371 Fur goods
2380 Miscellaneous apparel and accessories | 2381 Dress and work gloves, except knit and all-leather
2384 Robes and dressing gowns | 2385 Waterproof outerwear | 2386 Leather and sheep-lined clothing
2387 Apparel belts | 2389 Apparel and accessories, not elsewhere classified
2390 Miscellaneous fabricated textile products | 2391 Curtains and draperies
2392 House furnishing, except curtains and draperies | 2393 Textile bags | 2394 Canvas and related products
2395 Pleating, decorative and novelty stitching and tucking for the trade
2396 Automotive trimmings, apparel findings and related products | 2397 Schiffli machine embroideries
2399 Fabricated textile products, not elsewhere classified | 2400 Lumber and wood products, except furniture
2410 Logging | 2411 Logging | 2420 Sawmills and planing mills | 2421 Sawmills and planing mills, general
2426 Hardwood dimension and flooring mills | 2429 Special product sawmills, not elsewhere classified
2430 Millwork, veneer, plywood and structural wood members | 2431 Millwork | 2434 Wood kitchen cabinets
2435 Hardwood veneer and plywood | 2436 Softwood veneer and plywood
2439 Structural wood members, not elsewhere classified | 2440 Wood containers
2441 Nailed and lock corner wood boxes and shook | 2448 Wood pallets and skids
2449 Wood containers, not elsewhere classified | 2450 Wood buildings and mobile homes | 2451 Mobile homes
2452 Prefabricated wood buildings and components | 2490 Miscellaneous wood products | 2491 Wood preserving
2493 Reconstituted wood products | 2499 Wood products, not elsewhere classified | 2500 Furniture and fixtures
2510 Household furniture | 2511 Wood household furniture, except upholstered
2512 Wood household furniture, upholstered | 2514 Metal household furniture
2515 Mattresses, foundations and convertible beds
2517 Wood television, radio, phonograph and sewing machine cabinets
2519 Household furniture, not elsewhere classified | 2520 Office furniture | 2521 Wood office furniture
2522 Office furniture, except wood | 2530 Public building and related furniture
2531 Public building and related furniture | 2540 Partitions, shelving, lockers and office and store fixtures
2541 Wood office and store fixtures, partitions, shelving and lockers
2542 Office and store fixtures, partitions, shelving and lockers, except wood
2590 Miscellaneous furniture and fixtures | 2591 Drapery hardware and window blinds and shades
2599 Furniture and fixtures, not elsewhere classified | 2600 Paper and allied products | 2610 Pulp mills
2611 Pulp mills | 2620 Paper mills | 2621 Paper mills | 2630 Paperboard mills | 2631 Paperboard mills
2650 Paperboard containers and boxes | 2652 Setup paperboard boxes | 2653 Corrugated and solid fiber boxes
2655 Fiber cans, tubes, drums and similar products | 2656 Sanitary food containers, except folding
2657 Folding paperboard boxes, including sanitary
2670 Converted paper and paperboard products, except containers and boxes
2671 Packaging paper and plastics film, coated and laminated
2672 Coated and laminated paper, not elsewhere classified | 2673 Plastics, foil and coated paper bags
2674 Uncoated paper and multiwall bags | 2675 Die-cut paper and paperboard and cardboard
2676 Sanitary paper products | 2677 Envelopes | 2678 Stationery, tablets and related products
2679 Converted paper and paperboard products, not elsewhere classified
2700 Printing, publishing and allied industries | 2710 Newspaper
2711 Newspapers: publishing or publishing and printing | 2720 Periodical
2721 Periodicals: publishing or publishing and printing | 2730 Books
2731 Books: publishing or publishing and printing | 2732 Book printing | 2740 Miscellaneous publishing
2741 Miscellaneous publishing | 2750 Commercial printing | 2752 Commercial printing, lithographic
2754 Commercial printing, gravure | 2759 Commercial printing, not elsewhere classified
2760 Manifold business forms | 2761 Manifold business forms | 2770 Greeting cards | 2771 Greeting cards
2780 Blankbooks, looseleaf binders, bookbinding and related work | 2782 Blankbooks, looseleaf binders and devices
2789 Bookbinding and related work | 2790 Service industries for the printing trade | 2791 Typesetting
2796 Platemaking and related services | 2800 Chemicals and allied products | 2810 Industrial inorganic chemicals
2812 Alkalies and chlorine | 2813 Industrial gases | 2816 Inorganic pigments
2819 Industrial inorganic chemicals, not elsewhere classified
2820 Plastic material, synthetic resin and rubber, cellulosics, except glass
2821 Plastic materials, synthetic resins and nonvulcanizable elastomers
2822 Synthetic rubber (vulcanizable elastomers) | 2823 Cellulosic manmade fibers
2824 Manmade organic fibers, except cellulosic | 2830 Drugs | 2833 Medicinal chemicals and botanical products
2834 Pharmaceutical preparations | 2835 In vitro and in vivo diagnostic substances
2836 Biological products, except diagnostic substances
2840 Soap, detergents, cleaning preparations, perfumes, cosmetics
2841 Soap and other detergents, except specialty cleaners
2842 Specialty cleaning, polishing and sanitation preparations
2843 Surface active agents, finishing agents, sulfonated oils and assistants
2844 Perfumes, cosmetics and other toilet preparations | 2850 Paints, varnishes, lacquers, enamels and allied
2851 Paints, varnishes, lacquers, enamels and allied products | 2860 Industrial organic chemicals
2861 Gum and wood chemicals | 2865 Cyclic organic crudes and intermediates and organic dyes and pigments
2869 Industrial organic chemicals, not elsewhere classified | 2870 Agricultural chemicals
2873 Nitrogenous fertilizers | 2874 Phosphatic fertilizers | 2875 Fertilizers, mixing only
2879 Pesticides and agricultural chemicals, not elsewhere classified | 2890 Miscellaneous chemical products
2891 Adhesives and sealants | 2892 Explosives | 2893 Printing ink | 2895 Carbon black
2899 Chemicals and chemical preparations, not elsewhere classified | 2900 Petroleum refining and related industries
2910 Petroleum refining | 2911 Petroleum refining | 2950 Asphalt paving and roofing materials
2951 Asphalt paving mixtures and blocks | 2952 Asphalt felts and coatings
2990 Miscellaneous products of petroleum and coal | 2992 Lubricating oils and greases
2999 Products of petroleum and coal, not elsewhere classified | 3000 Rubber and miscellaneous plastics products
3010 Tires and inner tubes | 3011 Tires and inner tubes | 3020 Rubber and plastics footwear
3021 Rubber and plastics footwear | 3050 Gaskets, packing and sealing devices and rubber
3052 Rubber and plastics hose and belting | 3053 Gaskets, packing and sealing devices
3060 Fabricated rubber products, not elsewhere classified
3061 Molded, extruded and lathe-cut mechanical rubber goods
3069 Fabricated rubber products, not elsewhere classified | 3080 Miscellaneous plastics products
3081 Unsupported plastics film and sheet | 3082 Unsupported plastics profile shapes
3083 Laminated plastics plate, sheet and profile shapes | 3084 Plastics pipe | 3085 Plastics bottles
3086 Plastics foam products | 3087 Custom compounding of purchased plastics resins | 3088 Plastics plumbing fixtures
3089 Plastics products, not elsewhere classified | 3100 Leather and leather products
3110 Leather tanning and finishing | 3111 Leather tanning and finishing | 3130 Boot and shoe cut stock and findings
3131 Boot and shoe cut stock and findings | 3140 Footwear, except rubber | 3142 House slippers
3143 Men's footwear, except athletic | 3144 Women's footwear, except athletic
3149 Footwear, except rubber, not elsewhere classified | 3150 Leather gloves and mittens
3151 Leather gloves and mittens | 3160 Luggage | 3161 Luggage | 3170 Handbags and other personal leather goods
3171 Women's handbags and purses | 3172 Personal leather goods, except women's handbags and purses
3190 Leather goods, not elsewhere classified | 3199 Leather goods, not elsewhere classified
3200 Stone, clay, glass and concrete products | 3210 Flat glass | 3211 Flat glass
3220 Glass and glassware, pressed or blown | 3221 Glass containers
3229 Pressed and blown glass and glassware, not elsewhere classified | 3230 Glass products, made of purchased glass
3231 Glass products, made of purchased glass | 3240 Cement, hydraulic | 3241 Cement, hydraulic
3250 Structural clay products | 3251 Brick and structural clay tile | 3253 Ceramic wall and floor tile
3255 Clay refractories | 3259 Structural clay products, not elsewhere classified | 3260 Pottery and related products
3261 Vitreous china plumbing fixtures and china and earthenware fittings and bathroom accessories
3262 Vitreous china table and kitchen articles | 3263 Fine earthenware (whiteware) table and kitchen articles
3264 Porcelain electrical supplies | 3269 Pottery products, not elsewhere classified
3270 Concrete, gypsum and plaster products | 3271 Concrete block and brick
3272 Concrete products, except block and brick | 3273 Ready-mixed concrete | 3274 Lime | 3275 Gypsum products
3280 Cut stone and stone products | 3281 Cut stone and stone products
3290 Abrasive, asbestos and miscellaneous nonmetallic mineral products | 3291 Abrasive products
3292 Asbestos products | 3295 Minerals and earths, ground or otherwise treated | 3296 Mineral wool
3297 Nonclay refractories | 3299 Nonmetallic mineral products, not elsewhere classified
3300 Primary metal industries | 3310 Steel works, blast furnaces and rolling and finishing mills
3312 Steel works, blast furnaces and rolling mills | 3313 Electrometallurgical products, except steel
3315 Steel wiredrawing and steel nails and spikes | 3316 Cold-rolled steel sheet, strip and bars
3317 Steel pipe and tubes | 3320 Iron and steel foundries | 3321 Gray and ductile iron foundries
3322 Malleable iron foundries | 3324 Steel investment foundries | 3325 Steel foundries, not elsewhere classified
3330 Primary smelting and refining of nonferrous metals | 3331 Primary smelting and refining of copper
3334 Primary production of aluminum
3339 Primary smelting and refining of nonferrous metals, except copper and aluminum
3340 Secondary smelting and refining of nonferrous | 3341 Secondary smelting and refining of nonferrous metals
3350 Rolling drawing and extruding of nonferrous metals | 3351 Rolling, drawing and extruding of copper
3353 Aluminum sheet, plate and foil | 3354 Aluminum extruded products
3355 Aluminum rolling and drawing, not elsewhere classified
3356 Rolling, drawing and extruding of nonferrous metals, except copper and aluminum
3357 Drawing and insulating of nonferrous wire | 3360 Nonferrous foundries (castings) | 3363 Aluminum die-castings
3364 Nonferrous die-castings, except aluminum | 3365 Aluminum foundries | 3366 Copper foundries
3369 Nonferrous foundries, except aluminum and copper | 3390 Miscellaneous primary metal products
3398 Metal heat treating | 3399 Primary metal products, not elsewhere classified
3400 Fabricated metal products, except machinery and transportation equipment
3410 Metal cans and shipping containers | 3411 Metal cans | 3412 Metal shipping barrels, drums, kegs and pails
3420 Cutlery, handtools and general hardware | 3421 Cutlery
3423 Hand and edge tools, except machine tools and handsaws | 3425 Saw blades and handsaws
3429 Hardware, not elsewhere classified | 3430 Heating equipment, except electric and warm air, and plumbing fixtures
3431 Enameled iron and metal sanitary ware | 3432 Plumbing fixture fittings and trim
3433 Heating equipment, except electric and warm air furnaces | 3440 Fabricated structural metal products
3441 Fabricated structural metal | 3442 Metal doors, sash, frames, moldings and trim
3443 Fabricated plate work (boiler shops) | 3444 Sheet metal work | 3446 Architectural and ornamental metal work
3448 Prefabricated metal buildings and components | 3449 Miscellaneous structural metal work
3450 Screw machine products and bolts, nuts, screws, rivets and washers | 3451 Screw machine products
3452 Bolts, nuts, screws, rivets and washers | 3460 Metal forgings and stampings | 3462 Iron and steel forgings
3463 Nonferrous forgings | 3465 Automotive stampings | 3466 Crowns and closures
3469 Metal stampings, not elsewhere classified | 3470 Coating, engraving and allied services
3471 Electroplating, plating, polishing, anodizing and coloring
3479 Coating, engraving and allied services, not elsewhere classified
3480 Ordnance and accessories, except vehicles or guided missiles | 3482 Small arms ammunition
3483 Ammunition, except for small arms | 3484 Small arms | 3489 Ordnance and accessories, not elsewhere classified
3490 Miscellaneous fabricated metal products | 3491 Industrial valves | 3492 Fluid power valves and hose fittings
3493 Steel springs, except wire | 3494 Valves and pipe fittings, not elsewhere classified | 3495 Wire springs
3496 Miscellaneous fabricated wire products | 3497 Metal foil and leaf | 3498 Fabricated pipe and pipe fittings
3499 Fabricated metal products, not elsewhere classified
3500 Industrial and commercial machinery and computer equipment | 3510 Engines and turbines
3511 Steam, gas and hydraulic turbines and turbine generator set units
3519 Internal combustion engines, not elsewhere classified | 3520 Farm and garden machinery and equipment
3523 Farm machinery and equipment | 3524 Lawn and garden tractors and home lawn and garden equipment
3530 Construction, mining and materials handling | 3531 Construction machinery and equipment
3532 Mining machinery and equipment, except oil and gas field machinery and equipment
3533 Oil and gas field machinery and equipment | 3534 Elevators and moving stairways
3535 Conveyors and conveying equipment | 3536 Overhead traveling cranes, hoists and monorail systems
3537 Industrial trucks, tractors, trailers and stackers | 3540 Metalworking machinery and equipment
3541 Machine tools, metal cutting types | 3542 Machine tools, metal forming types | 3543 Industrial patterns
3544 Special dies and tools, die sets, jigs and fixtures and industrial molds
3545 Cutting tools, machine tool accessories and machinists' precision measuring devices
3546 Power-driven handtools | 3547 Rolling mill machinery and equipment
3548 Electric and gas welding and soldering equipment | 3549 Metalworking machinery, not elsewhere classified
3550 Special industry machinery, except metalworking machinery | 3552 Textile machinery | 3553 Woodworking machinery
3554 Paper industries machinery | 3555 Printing trades machinery and equipment | 3556 Food products machinery
3559 Special industry machinery | 3560 General industrial machinery and equipment | 3561 Pumps and pumping equipment
3562 Ball and roller bearings | 3563 Air and gas compressors
3564 Industrial and commercial fans and blowers and air purifying equipment | 3565 Packaging machinery
3566 Speed changers, industrial high-speed drives and gears | 3567 Industrial process furnaces and ovens
3568 Mechanical power transmission equipment, not elsewhere classified
3569 General industrial machinery and equipment, not elsewhere classified | 3570 Computer and office equipment
3571 Electronic computers | 3572 Computer storage devices | 3575 Computer terminals
3576 Computer communications equipment | 3577 Computer peripheral equipment, not elsewhere classified
3578 Calculating and accounting machines, except electronic computers
3579 Office machines, not elsewhere classified | 3580 Refrigeration and service industry machinery
3581 Automatic vending machines | 3582 Commercial laundry, drycleaning and pressing machines
3585 Air conditioning, warm air heating and commercial and industrial refrigeration equipment
3586 Measuring and dispensing pumps | 3589 Service industry machinery, not elsewhere classified
3590 Miscellaneous industrial and commercial machinery and equipment
3592 Carburetors, pistons, piston rings and valves | 3593 Fluid power cylinders and actuators
3594 Fluid power pumps and motors | 3596 Scales and balances, except laboratory
3599 Industrial and commercial machinery and equipment, not elsewhere classified
3600 Electronic and other electrical equipment, except computers
3610 Electric transmission and distribution equipment | 3612 Power, distribution and specialty transformers
3613 Switchgear and switchboard apparatus | 3620 Electrical industrial apparatus | 3621 Motors and generators
3624 Carbon and graphite products | 3625 Relays and industrial controls
3629 Electrical industrial apparatus, not elsewhere classified | 3630 Household appliances
3631 Household cooking equipment | 3632 Household refrigerators and home and farm freezers
3633 Household laundry equipment | 3634 Electric housewares and fans | 3635 Household vacuum cleaners
3639 Household appliances, not elsewhere classified | 3640 Electric lighting and wiring equipment
3641 Electric lamp bulbs and tubes | 3643 Current-carrying wiring devices | 3644 Noncurrent-carrying wiring devices
3645 Residential electric lighting fixtures
3646 Commercial, industrial and institutional electric lighting fixtures | 3647 Vehicular lighting equipment
3648 Lighting equipment, not elsewhere classified | 3650 Household audio and video equipment and audio
3651 Household audio and video equipment | 3652 Phonograph records and prerecorded audio tapes and disks
3660 Communications equipment | 3661 Telephone and telegraph apparatus
3663 Radio and television broadcasting and communications equipment
3669 Communications equipment, not elsewhere classified | 3670 Electronic components and accessories
3671 Electron tubes | 3672 Printed circuit boards | 3674 Semiconductors and related devices
3675 Electronic capacitors | 3676 Electronic resistors | 3677 Electronic coils, transformers and other inductors
3678 Electronic connectors | 3679 Electronic components, not elsewhere classified
3690 Miscellaneous electrical machinery, equipment and supplies | 3691 Storage batteries
3692 Primary batteries, dry and wet | 3694 Electrical equipment for internal combustion engines
3695 Magnetic and optical recording media
3699 Electrical machinery, equipment and supplies, not elsewhere classified | 3700 Transportation equipment
3710 Motor vehicles and motor vehicle equipment | 3711 Motor vehicles and passenger car bodies
3713 Truck and bus bodies | 3714 Motor vehicle parts and accessories | 3715 Truck trailers | 3716 Motor homes
3720 Aircraft and parts | 3721 Aircraft | 3724 Aircraft engines and engine parts
3728 Aircraft parts and auxiliary equipment, not elsewhere classified | 3730 Ship and boat building and repairing
3731 Ship building and repairing | 3732 Boat building and repairing | 3740 Railroad equipment
3743 Railroad equipment | 3750 Motorcycles, bicycles and parts | 3751 Motorcycles, bicycles and parts
3760 Guided missiles and space vehicles and parts | 3761 Guided missiles and space vehicles
3764 Guided missile and space vehicle propulsion units and propulsion unit parts
3769 Guided missile space vehicle parts and auxiliary equipment, not elsewhere classified
3790 Miscellaneous transportation equipment | 3792 Travel trailers and campers | 3795 Tanks and tank components
3799 Transportation equipment, not elsewhere classified
3800 Measuring, analyzing and controlling instruments; photographic, medical and optical goods; watches and clocks
3810 Search, detection, navigation, guidance, aeronautical and nautical systems, instruments and equipment
3812 Search, detection, navigation, guidance and aeronautical systems
3820 Laboratory apparatus and analytical, optical, measuring and controlling instruments
3821 Laboratory apparatus and furniture
3822 Automatic controls for regulating residential and commercial environments and appliances
3823 Industrial instruments for measurement, display and control | 3824 Totalizing fluid meters and counting devices
3825 Instruments for measuring and testing of electricity and electrical signals
3826 Laboratory analytical instruments | 3827 Optical instruments and lenses
3829 Measuring and controlling devices, not elsewhere classified
3840 Surgical, medical and dental instruments and supplies | 3841 Surgical and medical instruments and apparatus
3842 Orthopedic, prosthetic and surgical appliances and supplies | 3843 Dental equipment and supplies
3844 X-ray apparatus and tubes and related irradiation apparatus
3845 Electromedical and electrotherapeutic apparatus | 3850 Ophthalmic goods | 3851 Ophthalmic goods
3860 Photographic equipment and supplies | 3861 Photographic equipment and supplies
3870 Watches, clocks, clockwork operated devices and parts
3873 Watches, clocks, clockwork operated devices and parts | 3900 Miscellaneous manufacturing industries
3910 Jewelry, silverware and plated ware | 3911 Jewelry, precious metal
3914 Silverware, plated ware and stainless steel ware | 3915 Jewelers' findings and materials and lapidary work
3930 Musical instruments | 3931 Musical instruments | 3940 Dolls, toys, games and sporting and athletic
3942 Dolls and stuffed toys | 3944 Games, toys and children's vehicles, except dolls and bicycles
3949 Sporting and athletic goods, not elsewhere classified | 3950 Pens, pencils and other artists' materials
3951 Pens, mechanical pencils and parts | 3952 Lead pencils, crayons and artists' materials | 3953 Marking devices
3955 Carbon paper and inked ribbons
3960 Costume jewelry, costume novelties, buttons and miscellaneous notions, except precious metal
3961 Costume jewelry and costume novelties, except precious metal | 3965 Fasteners, buttons, needles and pins
3990 Miscellaneous manufacturing industries | 3991 Brooms and brushes | 3993 Signs and advertising specialties
3995 Burial caskets
3996 Linoleum, asphalted-felt-base and other hard surface floor coverings, not elsewhere classified
3999 Manufacturing industries, not elsewhere classified | 4000 Railroad transportation | 4010 Railroads
4011 Railroads, line-haul operating | 4013 Railroad switching and terminal establishments
4100 Local and suburban transit and interurban highway passenger transportation
4110 Local and suburban passenger transportation | 4111 Local and suburban transit
4119 Local passenger transportation, not elsewhere classified | 4120 Taxicabs | 4121 Taxicabs
4130 Intercity and rural bus transportation | 4131 Intercity and rural bus transportation | 4140 Bus charter service
4141 Local bus charter service | 4142 Bus charter service, except local | 4150 School buses | 4151 School buses
4170 Terminal and service facilities for motor vehicle
4173 Terminal and service facilities for motor vehicle passenger transportation
4200 Motor freight transportation and warehousing | 4210 Trucking and courier services, except air
4212 Local trucking without storage | 4213 Trucking, except local | 4214 Local trucking with storage
4215 Courier services, except by air | 4220 Public warehousing and storage
4221 Farm product warehousing and storage | 4222 Refrigerated warehousing and storage
4225 General warehousing and storage | 4226 Special warehousing and storage, not elsewhere classified
4230 Terminal and joint terminal maintenance
4231 Terminal and joint terminal maintenance facilities for motor freight transportation
4300 United States postal service | 4310 United States postal service | 4311 United States postal service
4400 Water transportation | 4410 Deep sea foreign transportation of freight
4412 Deep sea foreign transportation of freight | 4420 Deep sea domestic transportation of freight
4424 Deep sea domestic transportation of freight | 4430 Freight transportation on the Great Lakes and St. Lawrence Seaway
4432 Freight transportation on the Great Lakes and St. Lawrence Seaway
4440 Water transportation of freight, not elsewhere classified
4449 Water transportation of freight, not elsewhere classified | 4480 Water transportation of passengers
4481 Deep sea transportation of passengers, except by ferry | 4482 Ferries
4489 Water transportation of passengers, not elsewhere classified | 4490 Services incidental to water transportation
4491 Marine cargo handling | 4492 Towing and tugboat services | 4493 Marinas
4499 Water transportation services, not elsewhere classified | 4500 Transportation by air
4510 Air transportation, scheduled and air courier | 4512 Air transportation, scheduled | 4513 Air courier services
4520 Air transportation, nonscheduled | 4522 Air transportation, nonscheduled
4580 Airports, flying fields and airport terminal | 4581 Airports, flying fields and airport terminal services
4600 Pipelines, except natural gas | 4610 Pipe lines, except natural gas | 4612 Crude petroleum pipelines
4613 Refined petroleum pipelines | 4619 Pipelines, not elsewhere classified | 4700 Transportation services
4720 Arrangement of passenger transportation | 4724 Travel agencies | 4725 Tour operators
4729 Arrangement of passenger transportation, not elsewhere classified
4730 Arrangement of transportation of freight and cargo | 4731 Arrangement of transportation of freight and cargo
4740 Rental of railroad cars | 4741 Rental of railroad cars
4780 Miscellaneous services incidental to transportation | 4783 Packing and crating
4785 Fixed facilities and inspection and weighing services for motor vehicle transportation
4789 Transportation services, not elsewhere classified | 4800 Communications | 4810 Telephone communications
4812 Radiotelephone communications | 4813 Telephone communications, except radiotelephone
4820 Telegraph and other message communications | 4822 Telegraph and other message communications
4830 Radio and television broadcasting stations | 4832 Radio broadcasting stations
4833 Television broadcasting stations | 4840 Cable and other pay television services
4841 Cable and other pay television services | 4890 Communications services, not elsewhere classified
4899 Communications services, not elsewhere classified | 4900 Electric, gas and sanitary services
4910 Electric services | 4911 Electric services | 4920 Gas production and distribution
4922 Natural gas transmission | 4923 Natural gas transmission and distribution | 4924 Natural gas distribution
4925 Mixed, manufactured, or liquefied petroleum gas production and or or
4930 Combination electric and gas and other utility | 4931 Electric and other services combined
4932 Gas and other services combined | 4939 Combination utilities, not elsewhere classified | 4940 Water supply
4941 Water supply | 4950 Sanitary services | 4952 Sewerage systems | 4953 Refuse systems
4955 Hazardous waste management | 4959 Sanitary services, not elsewhere classified
4960 Steam and air-conditioning supply | 4961 Steam and air-conditioning supply | 4970 Irrigation systems
4971 Irrigation systems | 4991 Cogeneration services and small power producers | 5000 Wholesale: durable goods
5010 Wholesale: motor vehicles and motor vehicle parts and supplies | 5012 Automobiles and other motor vehicles
5013 Wholesale: motor vehicle supplies and new parts | 5014 Tires and tubes | 5015 Motor vehicle parts, used
5020 Wholesale: furniture and home furnishings | 5021 Furniture | 5023 Home furnishings
5030 Lumber and other construction materials | 5031 Wholesale: lumber, plywood, millwork and wood panels
5032 Brick, stone and related construction materials | 5033 Roofing, siding and insulation materials
5039 Construction materials, not elsewhere classified
5040 Wholesale: professional and commercial equipment and supplies | 5043 Photographic equipment and supplies
5044 Office equipment | 5045 Wholesale: computers and peripheral equipment and software
5046 Commercial equipment, not elsewhere classified
5047 Wholesale: medical, dental and hospital equipment and supplies | 5048 Ophthalmic goods
5049 Professional equipment and supplies, not elsewhere classified | 5050 Metals and minerals, except petroleum
5051 Wholesale: metals service centers and offices | 5052 Coal and other minerals and ores | 5060 Electrical goods
5063 Wholesale: electrical apparatus and equipment, wiring supplies
5064 Electrical appliances, television and radio sets
5065 Electronic parts and equipment, not elsewhere classified
5070 Wholesale: hardware and plumbing and heating equipment and supplies | 5072 Wholesale: hardware
5074 Plumbing and heating equipment and supplies (hydronics)
5075 Warm air heating and air-conditioning equipment and supplies | 5078 Refrigeration equipment and supplies
5080 Machinery, equipment and supplies | 5082 Construction and mining, except petroleum machinery and equipment
5083 Farm and garden machinery and equipment | 5084 Wholesale: industrial machinery and equipment
5085 Industrial supplies | 5087 Service establishment equipment and supplies
5088 Transportation equipment and supplies, except motor vehicles | 5090 Wholesale: miscellaneous durable goods
5091 Sporting and recreational goods and supplies | 5092 Toys and hobby goods and supplies
5093 Scrap and waste materials | 5094 Wholesale: jewelry, watches, precious stones and metals
5099 Durable goods, not elsewhere classified | 5100 Wholesale trade: non-durable goods
5110 Wholesale: paper and paper products | 5111 Printing and writing paper | 5112 Stationery and office supplies
5113 Industrial and personal service paper | 5120 Drugs, drug proprietaries and druggists' sundries
5122 Wholesale: drugs, proprietaries and druggists' sundries | 5130 Wholesale: apparel, piece goods and notions
5131 Piece goods, notions and other dry good | 5136 Men's and boy's clothing and furnishings
5137 Women's, children's and infants' clothing and accessories | 5139 Footwear
5140 Wholesale: groceries and related products | 5141 Wholesale: groceries, general line
5142 Packaged frozen foods | 5143 Dairy products, except dried or canned | 5144 Poultry and poultry products
5145 Confectionery | 5146 Fish and seafoods | 5147 Meats and meat products | 5148 Fresh fruits and vegetables
5149 Groceries and related products, not elsewhere classified | 5150 Farm-product raw materials
5153 Grain and field beans | 5154 Livestock | 5159 Farm-product raw materials, not elsewhere classified
5160 Wholesale: chemicals and allied products | 5162 Plastics materials and basic forms and shapes
5169 Chemicals and allied products, not elsewhere classified | 5170 Petroleum and petroleum products
5171 Wholesale: petroleum bulk stations and terminals
5172 Wholesale: petroleum and petroleum products, except bulk stations
5180 Wholesale: beer, wine and distilled alcoholic beverages | 5181 Beer and ale
5182 Wine and distilled alcoholic beverages | 5190 Wholesale: miscellaneous nondurable goods | 5191 Farm supplies
5192 Books, periodicals and newspapers | 5193 Flowers, nursery stock and florists' supplies
5194 Tobacco and tobacco products | 5198 Paints, varnishes and supplies
5199 Nondurable goods, not elsewhere classified | 5200 Retail: building materials, hardware, garden supply
5210 Lumber and other building materials dealers | 5211 Retail: lumber and other building materials dealers
5230 Paint, glass and wallpaper stores | 5231 Paint, glass and wallpaper stores | 5250 Hardware stores
5251 Hardware stores | 5260 Retail nurseries, lawn and garden supply stores
5261 Retail nurseries, lawn and garden supply stores | 5270 Mobile home dealers | 5271 Retail: mobile home dealers
5300 General merchandise stores | 5310 Department stores | 5311 Retail: department stores | 5330 Variety stores
5331 Retail: variety stores | 5390 Miscellaneous general merchandise stores
5399 Miscellaneous general merchandise stores | 5400 Retail: food stores | 5410 Grocery stores
5411 Retail: grocery stores | 5412 Retail: convenience stores | 5420 Meat and fish (seafood) markets, including
5421 Meat and fish (seafood) markets, including freezer provisioners | 5430 Fruit and vegetable markets
5431 Fruit and vegetable markets | 5440 Candy, nut and confectionery stores
5441 Candy, nut and confectionery stores | 5450 Dairy products stores | 5451 Dairy products stores
5460 Retail bakeries | 5461 Retail bakeries | 5490 Miscellaneous food stores | 5499 Miscellaneous food stores
5500 Retail: auto dealers and gasoline stations | 5510 Motor vehicle dealers (new and used)
5511 Motor vehicle dealers (new and used) | 5520 Motor vehicle dealers (used only)
5521 Motor vehicle dealers (used only) | 5530 Auto and home supply stores | 5531 Retail: auto and home supply stores
5540 Gasoline service stations | 5541 Gasoline service stations | 5550 Boat dealers | 5551 Boat dealers
5560 Recreational vehicle dealers | 5561 Recreational vehicle dealers | 5570 Motorcycle dealers
5571 Motorcycle dealers | 5590 Automotive dealers, not elsewhere classified
5599 Automotive dealers, not elsewhere classified | 5600 Retail: apparel and accessory stores
5610 Men's and boys' clothing and accessory stores | 5611 Men's and boys' clothing and accessory stores
5620 Women's clothing stores | 5621 Retail: women's clothing stores | 5630 Women's accessory and specialty stores
5632 Women's accessory and specialty stores | 5640 Children's and infants' wear stores
5641 Children's and infants' wear stores | 5650 Family clothing stores | 5651 Retail: family clothing stores
5660 Shoe stores | 5661 Retail: shoe stores | 5690 Miscellaneous apparel and accessory stores
5699 Miscellaneous apparel and accessory stores | 5700 Retail: home furniture, furnishings and equipment stores
5710 Home furniture and furnishings stores | 5712 Furniture stores | 5713 Floor covering stores
5714 Drapery, curtain and upholstery stores | 5719 Miscellaneous home furnishings stores
5720 Household appliance stores | 5722 Household appliance stores
5730 Radio, television, consumer electronics and music stores
5731 Radio, television and consumer electronics stores | 5734 Retail: computer and computer software stores
5735 Retail: record and prerecorded tape stores | 5736 Musical instrument stores | 5800 Eating and drinking places
5810 Retail: eating and drinking places | 5812 Retail: eating places | 5813 Drinking places (alcoholic beverages)
5900 Retail: miscellaneous retail | 5910 Drug stores and proprietary stores
5912 Retail: drug stores and proprietary stores | 5920 Liquor stores | 5921 Liquor stores
5930 Used merchandise stores | 5932 Used merchandise stores | 5940 Retail: miscellaneous shopping goods stores
5941 Sporting goods stores and bicycle shops | 5942 Book stores | 5943 Stationery stores
5944 Retail: jewelry stores | 5945 Retail: hobby, toy and game shops | 5946 Camera and photographic supply stores
5947 Gift, novelty and souvenir shops | 5948 Luggage and leather goods stores
5949 Sewing, needlework and piece goods stores | 5960 Retail: nonstore retailers
5961 Retail: catalog and mail-order houses | 5962 Automatic merchandising machine operators
5963 Direct selling establishments | 5980 Fuel dealers | 5983 Fuel oil dealers
5984 Liquefied petroleum gas (bottled gas) dealers | 5989 Fuel dealers, not elsewhere classified
5990 Retail: retail stores, not elsewhere classified | 5992 Florists | 5993 Tobacco stores and stands
5994 News dealers and newsstands | 5995 Optical goods stores
5999 Miscellaneous retail stores, not elsewhere classified | 6000 Depository institutions
6010 Central reserve depository institutions | 6011 Federal reserve banks
6019 Central reserve depository institutions, not elsewhere classified | 6020 Commercial banks
6021 National commercial banks | 6022 State commercial banks | 6029 Commercial banks | 6030 Savings institutions
6035 Savings institution, federally chartered | 6036 Savings institutions, not federally chartered
6060 Credit unions | 6061 Credit unions, federally chartered | 6062 Credit unions, not federally chartered
6080 Foreign banking and branches and agencies of foreign banks | 6081 Branches and agencies of foreign banks
6082 Foreign trade and international banking institutions | 6090 Functions related to depository banking
6091 Non-deposit trust facilities | 6099 Functions related to depository banking, not elsewhere classified
6100 Non-depository credit institutions | 6110 Federal and federally-sponsored credit agencies
6111 Federal and federally-sponsored credit agencies | 6140 Personal credit institutions
6141 Personal credit institutions | 6150 Business credit institutions | 6153 Short-term business credit institutions
6159 Miscellaneous business credit institution | 6160 Mortgage bankers and brokers
6162 Mortgage bankers and loan correspondents | 6163 Loan brokers | 6172 Finance lessors
6189 Asset-backed securities | 6199 Finance services
6200 Security and commodity brokers, dealers, exchanges and services | 6210 Security brokers, dealers and flotation
6211 Security brokers, dealers and flotation companies | 6220 Commodity contracts brokers and dealers
6221 Commodity contracts brokers and dealers | 6230 Security and commodity exchanges
6231 Security and commodity exchanges | 6280 Services allied with the exchange of securities
6282 Investment advice
6289 Services allied with the exchange of securities or commodities, not elsewhere classified
6300 Insurance carriers | 6310 Life insurance | 6311 Life insurance | 6320 Accident and health insurance and medical
6321 Accident and health insurance | 6324 Hospital and medical service plans
6330 Fire, marine and casualty insurance | 6331 Fire, marine and casualty insurance | 6350 Surety insurance
6351 Surety insurance | 6360 Title insurance | 6361 Title insurance | 6370 Pension, health and welfare funds
6371 Pension, health and welfare funds | 6390 Insurance carriers, not elsewhere classified
6399 Insurance carriers, not elsewhere classified | 6400 Insurance agents, brokers and service
6410 Insurance agents, brokers and service | 6411 Insurance agents, brokers and service | 6500 Real estate
6510 Real estate operators, except developers and lessors | 6512 Operators of nonresidential buildings
6513 Operators of apartment buildings | 6514 Operators of dwellings other than apartment buildings
6515 Operators of residential mobile home sites | 6517 Lessors of railroad property
6519 Lessors of real property, not elsewhere classified | 6530 Real estate agents and managers
6531 Real estate agents and managers (for others) | 6532 Real estate dealers (for their own account)
6540 Title abstract offices | 6541 Title abstract offices | 6550 Land subdividers and developers
6552 Land subdividers and developers, except cemeteries | 6553 Cemetery subdividers and developers
6700 Holding and other investment offices | 6710 Holding offices | 6712 Offices of bank holding companies
6719 Offices of holding companies, not elsewhere classified | 6720 Investment offices
6722 Management investment offices, open-end
6726 Unit investment trusts, face-amount certificate offices and closed-end management investment offices
6730 Trusts | 6732 Educational, religious and charitable trusts
6733 Trusts, except educational, religious and charitable | 6770 Blank checks | 6790 Miscellaneous investing
6792 Oil royalty traders | 6794 Patent owners and lessors | 6795 Mineral royalty traders
6798 Real estate investment trusts | 6799 Investors, not elsewhere classified
7000 Hotels, rooming houses, camps and other lodging places | 7010 Hotels and motels | 7011 Hotels and motels
7020 Rooming and boarding houses | 7021 Rooming and boarding houses | 7030 Camps and recreational vehicle parks
7032 Sporting and recreational camps | 7033 Recreational vehicle parks and campsites
7040 Organization hotels and lodging houses, on | 7041 Organization hotels and lodging houses, on membership basis
7200 Personal services | 7210 Laundry, cleaning and garment services | 7211 Power laundries, family and commercial
7212 Garment pressing and agents for laundries and drycleaners | 7213 Linen supply
7215 Coin-operated laundries and drycleaning | 7216 Drycleaning plants, except rug cleaning
7217 Carpet and upholstery cleaning | 7218 Industrial launderers
7219 Laundry and garment services, not elsewhere classified | 7220 Photographic studios, portrait
7221 Photographic studios, portrait | 7230 Beauty shops | 7231 Beauty shops | 7240 Barber shops | 7241 Barber shops
7250 Shoe repair shops and shoeshine parlors | 7251 Shoe repair shops and shoeshine parlors
7260 Funeral service and crematories | 7261 Funeral service and crematories | 7290 Miscellaneous personal services
7291 Tax return preparation services | 7299 Miscellaneous personal services, not elsewhere classified
7300 Business services | 7310 Advertising | 7311 Advertising agencies | 7312 Outdoor advertising services
7313 Radio, television and publishers' advertising representatives | 7319 Advertising, not elsewhere classified
7320 Consumer credit reporting, collection agencies | 7322 Adjustment and collection services
7323 Credit reporting services
7330 Mailing, reproduction, commercial art and photography and stenographic services
7331 Direct mail advertising services | 7334 Photocopying and duplicating services | 7335 Commercial photography
7336 Commercial art and graphic design | 7338 Secretarial and court reporting services
7340 Services to dwellings and other buildings | 7342 Disinfecting and pest control services
7349 Building cleaning and maintenance services, not elsewhere classified
7350 Miscellaneous equipment rental and leasing | 7352 Medical equipment rental and leasing
7353 Heavy construction equipment rental and leasing | 7359 Equipment rental and leasing, not elsewhere classified
7360 Personnel supply services | 7361 Employment agencies | 7363 Help supply services
7370 Computer programming, data processing and other computer related services | 7371 Computer programming services
7372 Prepackaged software | 7373 Computer integrated systems design | 7374 Computer processing and data preparation
7375 Information retrieval services | 7376 Computer facilities management services
7377 Computer rental and leasing | 7378 Computer maintenance and repair
7379 Computer related services, not elsewhere classified | 7380 Miscellaneous business services
7381 Detective, guard and armored car services | 7382 Security systems services | 7383 News syndicates
7384 Photofinishing laboratories | 7389 Business services | 7500 Automotive repair, services and parking
7510 Auto rental and leasing, except drivers | 7513 Truck rental and leasing, without drivers
7514 Passenger car rental | 7515 Passenger car leasing | 7519 Utility trailer and recreational vehicle rental
7520 Automobile parking | 7521 Automobile parking | 7530 Automotive repair shops
7532 Top, body and upholstery repair shops and paint shops | 7533 Automotive exhaust system repair shops
7534 Tire retreading and repair shops | 7536 Automotive glass replacement shops
7537 Automotive transmission repair shops | 7538 General automotive repair shops
7539 Automotive repair shops, not elsewhere classified | 7540 Automotive services, except repair | 7542 Carwashes
7549 Automotive services, except repair and carwashes | 7600 Miscellaneous repair services
7620 Electrical repair shops | 7622 Radio and television repair shops
7623 Refrigeration and air-conditioning service and repair shops
7629 Electrical and electronic repair shops, not elsewhere classified | 7630 Watch, clock and jewelry repair
7631 Watch, clock and jewelry repair | 7640 Reupholstery and furniture repair
7641 Reupholstery and furniture repair | 7690 Miscellaneous repair shops and related services | 7692 Welding repair
7694 Armature rewinding shops | 7699 Repair shops and related services, not elsewhere classified
7800 Motion pictures | 7810 Motion picture production and allied services
7812 Motion picture and video tape production | 7819 Services allied to motion picture production
7820 Motion picture distribution and allied services | 7822 Motion picture and video tape distribution
7829 Services allied to motion picture distribution | 7830 Motion picture theaters
7832 Motion picture theaters, except drive-in | 7833 Drive-in motion picture theaters | 7840 Video tape rental
7841 Video tape rental | 7900 Amusement and recreation services | 7910 Dance studios, schools and halls
7911 Dance studios, schools and halls
7920 Theatrical producers (except motion picture), bands, orchestras and entertainers
7922 Theatrical producers, except motion picture and miscellaneous theatrical services
7929 Bands, orchestras, actors and other entertainers and entertainment groups | 7930 Bowling centers
7933 Bowling centers | 7940 Commercial sports | 7941 Professional sports clubs and promoters
7948 Racing, including track operation | 7990 Miscellaneous amusement and recreation
7991 Physical fitness facilities | 7992 Public golf courses | 7993 Coin-operated amusement devices
7996 Amusement parks | 7997 Membership sports and recreation clubs
7999 Amusement and recreation services, not elsewhere classified | 8000 Health services
8010 Offices and clinics of doctors of medicine | 8011 Offices and clinics of doctors of medicine
8020 Offices and clinics of dentists | 8021 Offices and clinics of dentists
8030 Offices and clinics of doctors of osteopathy | 8031 Offices and clinics of doctors of osteopathy
8040 Offices and clinics of other health practitioners | 8041 Offices and clinics of chiropractors
8042 Offices and clinics of optometrists | 8043 Offices and clinics of podiatrists
8049 Offices and clinics of health practitioners, not elsewhere classified
8050 Nursing and personal care facilities | 8051 Skilled nursing care facilities | 8052 Intermediate care facilities
8059 Nursing and personal care facilities, not elsewhere classified | 8060 Hospitals
8062 General medical and surgical hospitals | 8063 Psychiatric hospitals
8069 Specialty hospitals, except psychiatric | 8070 Medical and dental laboratories | 8071 Medical laboratories
8072 Dental laboratories | 8080 Home health care services | 8082 Home health care services
8090 Miscellaneous health and allied services, not elsewhere classified | 8092 Kidney dialysis centers
8093 Specialty outpatient facilities, not elsewhere classified
8099 Health and allied services, not elsewhere classified | 8100 Legal services | 8110 Legal services
8111 Legal services | 8200 Educational services | 8210 Elementary and secondary schools
8211 Elementary and secondary schools | 8220 Colleges, universities, professional schools and junior colleges
8221 Colleges, universities and professional schools | 8222 Junior colleges and technical institutes
8230 Libraries | 8231 Libraries | 8240 Vocational schools | 8243 Data processing schools
8244 Business and secretarial schools | 8249 Vocational schools, not elsewhere classified
8290 Schools and educational services, not elsewhere classified
8299 Schools and educational services, not elsewhere classified | 8300 Social services
8320 Individual and family social services | 8322 Individual and family social services
8330 Job training and vocational rehabilitation | 8331 Job training and vocational rehabilitation services
8350 Child day care services | 8351 Child day care services | 8360 Residential care | 8361 Residential care
8390 Social services, not elsewhere classified | 8399 Social services, not elsewhere classified
8400 Museums, art galleries and botanical and zoological gardens | 8410 Museums and art galleries
8412 Museums and art galleries | 8420 Arboreta and botanical or zoological gardens
8422 Arboreta and botanical or zoological gardens | 8600 Membership organizations | 8610 Business associations
8611 Business associations | 8620 Professional membership organizations | 8621 Professional membership organizations
8630 Labor unions and similar labor organizations | 8631 Labor unions and similar labor organizations
8640 Civic, social and fraternal associations | 8641 Civic, social and fraternal associations
8650 Political organizations | 8651 Political organizations | 8660 Religious organizations
8661 Religious organizations | 8690 Membership organizations, not elsewhere classified
8699 Membership organizations, not elsewhere classified | 8700 Engineering, accounting, research, management
8710 Engineering, architectural and surveying | 8711 Engineering services | 8712 Architectural services
8713 Surveying services | 8720 Accounting, auditing and bookkeeping services
8721 Accounting, auditing and bookkeeping services | 8730 Research, development and testing services
8731 Commercial physical and biological research | 8732 Commercial economic, sociological and educational research
8733 Noncommercial research organizations | 8734 Testing laboratories
8740 Management and public relations services | 8741 Management services | 8742 Management consulting services
8743 Public relations services | 8744 Facilities support management services
8748 Business consulting services, not elsewhere classified | 8800 Private households | 8810 Private households
8811 Private households | 8880 American depositary receipts | 8888 Foreign governments
8900 Services, not elsewhere classified | 8990 Miscellaneous services | 8999 Services, not elsewhere classified
9100 Executive, legislative and general government, except finance | 9110 Executive offices | 9111 Executive offices
9120 Legislative bodies | 9121 Legislative bodies | 9130 Executive and legislative offices combined
9131 Executive and legislative offices combined | 9190 General government, not elsewhere classified
9199 General government, not elsewhere classified | 9200 Justice, public order and safety | 9210 Courts
9211 Courts | 9220 Public order and safety | 9221 Police protection | 9222 Legal counsel and prosecution
9223 Correctional institutions | 9224 Fire protection | 9229 Public order and safety, not elsewhere classified
9300 Public finance, taxation and monetary policy | 9310 Public finance, taxation and monetary policy
9311 Public finance, taxation and monetary policy | 9400 Administration of human resource programs
9410 Administration of educational programs | 9411 Administration of educational programs
9430 Administration of public health programs | 9431 Administration of public health programs
9440 Administration of social, human resource and income maintenance programs
9441 Administration of social, human resource and income maintenance programs
9450 Administration of veterans' affairs, except health and insurance
9451 Administration of veterans' affairs, except health and insurance
9500 Administration of environmental quality and housing programs | 9510 Administration of environmental quality
9511 Air and water resource and solid waste management | 9512 Land, mineral, wildlife and forest conservation
9530 Administration of housing and urban | 9531 Administration of housing programs
9532 Administration of urban planning and community and rural development | 9600 Administration of economic programs
9610 Administration of general economic programs | 9611 Administration of general economic programs
9620 Regulation and administration of transportation | 9621 Regulation and administration of transportation programs
9630 Regulation and administration of communications, electric, gas and other utilities
9631 Regulation and administration of communications, electric, gas and other utilities
9640 Regulation of agricultural marketing and commodities
9641 Regulation of agricultural marketing and commodities
9650 Regulation, licensing and inspection of miscellaneous commercial sectors
9651 Regulation, licensing and inspection of miscellaneous commercial sectors | 9660 Space research and technology
9661 Space and research and technology | 9700 National security and international affairs | 9710 National security
9711 National security | 9720 International affairs | 9721 International affairs
9900 Nonclassifiable establishments | 9990 Nonclassifiable establishments | 9995 Non-operating establishments
9999 Nonclassifiable establishments`
