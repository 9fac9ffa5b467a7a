export {
  AmbientLight, BufferAttribute, BufferGeometry, Color, CylinderGeometry, ConeGeometry, DirectionalLight, DoubleSide,
  Box3, DynamicDrawUsage, Group, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial,
  PerspectiveCamera, Plane, Quaternion, Raycaster, Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer, REVISION,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
export { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
